#pragma once

#include <vector>

#include "collectives/nccl/choice/choice_request.hpp"
#include "collectives/nccl/tuning/tuning_model.hpp"
#include "collectives/schedule/schedule.hpp"

namespace railyard::collectives::nccl {

/// The choices of NCCL for a collective that it tunes: each algorithm (or only the requested one)
/// with each protocol and NCCL's estimated cost. NCCL's own choice is marked, even if no schedule
/// supports it on the cluster.
[[nodiscard]] std::vector<AlgorithmChoice> nccl_choices(const ChoiceSetting& setting,
                                                        const TuningModel& model,
                                                        const ChoiceRequest& request);

/// The schedule of such a choice, with the number of channels that NCCL launches. In NVLS and
/// CollNet schedules each head has the same number of channels, so the number is rounded to a
/// multiple of the number of heads.
[[nodiscard]] Schedule nccl_schedule(const ChoiceSetting& setting, const ChoiceRequest& request,
                                     const AlgorithmChoice& choice);

}  // namespace railyard::collectives::nccl
