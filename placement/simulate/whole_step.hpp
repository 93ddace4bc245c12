#pragma once

#include <memory>
#include <vector>

#include "collectives/workload/workload.hpp"
#include "collectives/workload/workload_result.hpp"
#include "placement/cost/step.hpp"
#include "placement/simulate/contention.hpp"
#include "placement/simulate/steady_rounds.hpp"

namespace railyard::placement {

/// A step that ran as a workload (step_workload).
struct WholeStepRun {
  std::shared_ptr<const collectives::Workload> workload;
  collectives::WorkloadRun run;
};

/// Parts of the time of a step that ran as a workload (step_workload), on the ranks that compute
/// most. Each moment counts for the first of these that is active:
///
///     optimizer, compute, tp, cp, ep, dp, pp, offload; else bubble
///
/// A collective or message is active from its start, when its last rank has arrived. Time that
/// computation loses to concurrent collectives over replicas counts for dp. The parts add up to the
/// total. `by_formula`: values that the run does not give. `left_out`: rounds that the run leaves
/// out.
[[nodiscard]] StepCost whole_step_cost(const collectives::Workload& workload,
                                       const collectives::WorkloadRun& run,
                                       const StepCost& by_formula,
                                       const RoundsLeftOut& left_out = {});

/// Dimensions whose collectives take more than 1 % longer than alone because of concurrent traffic,
/// on the ranks with the largest slowdown.
[[nodiscard]] std::vector<Slowdown> whole_step_slowdowns(const collectives::Workload& workload,
                                                         const collectives::WorkloadRun& run);

}  // namespace railyard::placement
