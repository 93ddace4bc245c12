#pragma once

#include <vector>

#include "placement/cost/data_parallel.hpp"
#include "placement/cost/step.hpp"

namespace railyard::placement {

/// One class of replicas in a step that was computed pass by pass.
struct ClassRun {
  StepPipeline step{};
  PipelineRun run{};
  Time reduced{};                   ///< time at which all ranks have their gradients
  Time update{};                    ///< the longest work of a rank after that
  std::vector<ReplicaWork> work{};  ///< by pipeline rank
  int first = 0;                    ///< the rank with the embedding
  bool behind = false;  ///< no overlap: gradients are reduced after the passes, weights gathered
                        ///< after the update
};

/// A step: classes run independently; the update starts when the slowest has its gradients.
struct StepRun {
  Time total{};
  Time reduced{};
  std::vector<ClassRun> classes{};
};

/// The largest number of micro-batches up to `most` (0: all m) that shows the schedule: a multiple
/// of the stages, and enough of them.
[[nodiscard]] int shown_micro_batches(int m, int most, const Strategy& strategy);

/// Computes a step (docs/models/step.md, Timeline). Each pipeline rank runs its passes on its
/// compute stream. Messages between stages are sent one after another in each direction. Gradients
/// and weights are communicated layer by layer on a separate stream. When all ranks have their
/// gradients (needed for the gradient norm), the update follows, then transfers to the host, and
/// weights if they do not overlap. `micro_batches`: maximum number for the class with the most;
/// other classes run a proportional number. 0: all.
[[nodiscard]] StepRun run_step(const CostContext& context, const Strategy& strategy,
                               const ByType<GroupShapes>& shapes, const ByType<BlockCosts>& blocks,
                               int micro_batches = 0);

/// step_cost with a computed timeline. dp, pp and offload are found by omitting them in this order:
/// each is the time that the step becomes shorter. The bubble is the remainder.
[[nodiscard]] StepCost run_step_cost(const CostContext& context, const Strategy& strategy,
                                     const ByType<GroupShapes>& shapes,
                                     const ByType<BlockCosts>& blocks);

}  // namespace railyard::placement
