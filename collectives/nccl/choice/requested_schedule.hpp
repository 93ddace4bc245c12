#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "collectives/nccl/choice/choice_request.hpp"
#include "collectives/nccl/tuning/registered_estimates.hpp"
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

/// The schedule of a symmetric kernel or of copy engines, under its name: by multicast on one node
/// that of NVLS, else a ring's, in which GPUs and NICs send and receive as many bytes as in the
/// kernel.
[[nodiscard]] Schedule registered_schedule(const ChoiceSetting& setting,
                                           const ChoiceRequest& request,
                                           const SymmetricEstimate& kernel);

/// Why the cluster cannot run an algorithm, whatever NCCL's own rules are; or "".
[[nodiscard]] std::string why_not_built(const ChoiceSetting& setting, const ChoiceRequest& request,
                                        const Algorithm& algorithm, Protocol protocol);

}  // namespace railyard::collectives::nccl
