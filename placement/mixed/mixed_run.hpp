#pragma once

#include "placement/mixed/mixed_cost.hpp"
#include "placement/simulate/step_run.hpp"

namespace railyard::placement {

/// The pipeline of a class, chunk by chunk.
[[nodiscard]] StepPipeline class_pipeline(const MixedContext& context, const Strategy& strategy,
                                          const PipelineClass& one, const TypeBlocks& blocks);

/// mixed_cost with every class's step run (run_step): each at its own pace, the update once the
/// slowest has its gradients.
[[nodiscard]] StepCost run_mixed_cost(const MixedContext& context, const MixedStrategy& mixed,
                                      const TypeBlocks& blocks);

}  // namespace railyard::placement
