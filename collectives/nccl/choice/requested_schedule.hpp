#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "collectives/nccl/choice/choice_request.hpp"
#include "collectives/schedule/schedule.hpp"

namespace railyard::collectives::nccl {

/// The schedule of an algorithm for the request. Channels: `channels`, else those of the request,
/// else the algorithm's own number within the environment's bounds.
[[nodiscard]] Schedule requested_schedule(const ChoiceSetting& setting,
                                          const ChoiceRequest& request, std::string_view algorithm,
                                          Protocol protocol, std::optional<int> channels = {});

/// The same with exactly `channels`, or the algorithm's own number: no bounds apply.
[[nodiscard]] Schedule unbounded_schedule(const ChoiceSetting& setting,
                                          const ChoiceRequest& request, std::string_view algorithm,
                                          Protocol protocol, std::optional<int> channels);

/// Why the cluster cannot run an algorithm, whatever NCCL's own rules are; or "".
[[nodiscard]] std::string why_not_built(const ChoiceSetting& setting, const ChoiceRequest& request,
                                        const Algorithm& algorithm, Protocol protocol);

}  // namespace railyard::collectives::nccl
