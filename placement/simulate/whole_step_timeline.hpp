#pragma once

#include <vector>

#include "collectives/workload/workload_result.hpp"
#include "placement/simulate/step_timeline.hpp"

namespace railyard::placement {

/// The step of a strategy that ran as a workload (step_workload), in the form of step_timeline: of
/// each stage the ranks that end last. A pass is its computation, then the part of its collectives
/// that nothing hides, as if they followed it.
[[nodiscard]] std::vector<StepEvent> whole_step_timeline(const Strategy& strategy,
                                                         const collectives::Workload& workload,
                                                         const collectives::WorkloadRun& run);

}  // namespace railyard::placement
