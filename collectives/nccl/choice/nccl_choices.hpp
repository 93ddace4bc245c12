#pragma once

#include <vector>

#include "collectives/nccl/choice/choice_request.hpp"
#include "collectives/nccl/tuning/tuning_model.hpp"
#include "collectives/schedule/schedule.hpp"

namespace railyard::collectives::nccl {

/// NCCL's tuning table for a collective that NCCL tunes: each algorithm (or only the requested one)
/// with each protocol and its estimated cost. NCCL's choice is marked, even if no schedule supports
/// it on the cluster.
[[nodiscard]] std::vector<AlgorithmChoice> nccl_choices(const ChoiceSetting& setting,
                                                        const TuningModel& model,
                                                        const ChoiceRequest& request);

/// The schedule of such a choice with the channels that NCCL launches. In NVLS and CollNet
/// schedules each head is a channel, so the number is rounded to a multiple of the heads.
[[nodiscard]] Schedule nccl_schedule(const ChoiceSetting& setting, const ChoiceRequest& request,
                                     const AlgorithmChoice& choice);

}  // namespace railyard::collectives::nccl
