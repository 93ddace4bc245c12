#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "apps/nccl/choice.hpp"
#include "collectives/schedule/schedule.hpp"

namespace railyard::apps {

/// What a schedule of one way is made from.
[[nodiscard]] collectives::Request schedule_request(const Chooser& chooser,
                                                    const ChoiceRequest& asked,
                                                    collectives::Protocol protocol,
                                                    std::optional<int> channels);

/// The schedule of a way with `channels`, those asked for, or what the algorithm takes by itself
/// within the environment's bounds.
[[nodiscard]] collectives::Schedule built_way(const Chooser& chooser, const ChoiceRequest& asked,
                                              std::string_view algorithm,
                                              collectives::Protocol protocol,
                                              std::optional<int> channels = {});

/// Why the cluster cannot run an algorithm, whatever NCCL thinks of it; or "".
[[nodiscard]] std::string why_not_built(const Chooser& chooser, const ChoiceRequest& asked,
                                        const collectives::Algorithm& algorithm,
                                        collectives::Protocol protocol);

}  // namespace railyard::apps
