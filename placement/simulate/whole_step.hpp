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

/// Where the time of a step goes that ran as a workload (step_workload): on the ranks that compute
/// most, each moment counts for the first of these that runs:
///
///     optimizer, compute, tp, cp, ep, dp, pp, offload; else bubble
///
/// A collective or message runs from its start, when its last rank is there. What computation loses
/// beside collectives over replicas counts for dp. The parts add up to the total. `by_formula`:
/// what else is known of the step. `left_out`: rounds of the step that the run leaves out.
[[nodiscard]] StepCost whole_step_cost(const collectives::Workload& workload,
                                       const collectives::WorkloadRun& run,
                                       const StepCost& by_formula,
                                       const RoundsLeftOut& left_out = {});

/// Dimensions whose collectives take more than 1 % longer than alone because of concurrent traffic,
/// on the ranks where it is most.
[[nodiscard]] std::vector<Slowdown> whole_step_slowdowns(const collectives::Workload& workload,
                                                         const collectives::WorkloadRun& run);

}  // namespace railyard::placement
