#pragma once

#include <vector>

#include "collectives/nccl/choice/choice_request.hpp"
#include "collectives/nccl/tuning/tuning_model.hpp"
#include "collectives/schedule/schedule.hpp"

namespace railyard::collectives::nccl {

/// NCCL's tuning table for a collective that NCCL tunes: each algorithm (or the one that the
/// request names) with each protocol, its estimated cost, and NCCL's choice among them, also where
/// no schedule here runs it on the cluster.
[[nodiscard]] std::vector<AlgorithmChoice> nccl_choices(const ChoiceSetting& setting,
                                                        const TuningModel& model,
                                                        const ChoiceRequest& request);

/// The schedule of such a choice with the channels that NCCL launches. A channel of our NVLS and
/// CollNet schedules is a head, so these round to a multiple of their own number.
[[nodiscard]] Schedule nccl_schedule(const ChoiceSetting& setting, const ChoiceRequest& request,
                                     const AlgorithmChoice& choice);

}  // namespace railyard::collectives::nccl
