#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "collectives/nccl/choice/choice_request.hpp"
#include "collectives/nccl/tuning/registered_estimates.hpp"
#include "collectives/schedule/schedule.hpp"

namespace railyard::collectives::nccl {

/// The schedule of an algorithm for a request. The number of channels is `channels`, or that of the
/// request, or the algorithm's own within the limits of the environment.
[[nodiscard]] Schedule requested_schedule(const ChoiceSetting& setting,
                                          const ChoiceRequest& request, std::string_view algorithm,
                                          Protocol protocol, std::optional<int> channels = {});

/// The same with exactly `channels`, or the algorithm's own number, without limits.
[[nodiscard]] Schedule unbounded_schedule(const ChoiceSetting& setting,
                                          const ChoiceRequest& request, std::string_view algorithm,
                                          Protocol protocol, std::optional<int> channels);

/// The schedule for a symmetric kernel or a copy-engine collective, with its name. With multicast
/// on one node it is that of NVLS; otherwise that of a ring, in which GPUs and NICs send and
/// receive as many bytes as with the kernel.
[[nodiscard]] Schedule registered_schedule(const ChoiceSetting& setting,
                                           const ChoiceRequest& request,
                                           const SymmetricEstimate& kernel);

/// The reason why the cluster cannot run an algorithm, regardless of NCCL's rules; "" if it can.
[[nodiscard]] std::string why_not_built(const ChoiceSetting& setting, const ChoiceRequest& request,
                                        const Algorithm& algorithm, Protocol protocol);

}  // namespace railyard::collectives::nccl
