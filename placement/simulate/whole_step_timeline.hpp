#pragma once

#include <vector>

#include "collectives/workload/workload_result.hpp"
#include "placement/simulate/step_timeline.hpp"

namespace railyard::placement {

/// The timeline of a step that ran as a workload (step_workload), in the form of step_timeline: for
/// each stage the ranks that end last. A pass is its computation followed by the exposed part of
/// its collectives.
[[nodiscard]] std::vector<StepEvent> whole_step_timeline(const Strategy& strategy,
                                                         const collectives::Workload& workload,
                                                         const collectives::WorkloadRun& run);

}  // namespace railyard::placement
