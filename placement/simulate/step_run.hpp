#pragma once

#include <vector>

#include "placement/cost/data_parallel.hpp"
#include "placement/cost/step.hpp"

namespace railyard::placement {

/// The step of a class of replicas pass by pass.
struct ClassRun {
  StepPipeline step{};
  PipelineRun run{};
  Time reduced{};                   ///< when all ranks have their gradients
  Time update{};                    ///< the longest that a rank has to do after that
  std::vector<ReplicaWork> work{};  ///< by pipeline rank
  int first = 0;                    ///< the rank that has the embedding
  bool behind = false;  ///< collectives over replicas follow the passes, weights the update
};

/// A step: every class at its own pace, the update once the slowest has its gradients.
struct StepRun {
  Time total{};
  Time reduced{};
  std::vector<ClassRun> classes{};
};

/// The largest number of micro-batches up to `most` (0: all m) that shows the schedule: a multiple
/// of the stages, and enough of them.
[[nodiscard]] int shown_micro_batches(int m, int most, const Strategy& strategy);

/// Runs a step (docs/models/step.md, Timeline): the passes of every pipeline rank on its compute
/// stream, messages between stages one after another each way, gradients and weights layer by layer
/// on a stream of their own beside the passes. Then, once every rank has its gradients (their norm
/// is over all of them), the update, transfers to the host, and the weights where they do not
/// overlap. Of at most `micro_batches` of the class with most of them, of the others in proportion;
/// 0: of all.
[[nodiscard]] StepRun run_step(const CostContext& context, const Strategy& strategy,
                               const ByType<GroupShapes>& shapes, const ByType<Blocks>& blocks,
                               int micro_batches = 0);

/// step_cost with the step run: dp, pp and offload are what the step is shorter without them (in
/// this order), the bubble the rest.
[[nodiscard]] StepCost run_step_cost(const CostContext& context, const Strategy& strategy,
                                     const ByType<GroupShapes>& shapes,
                                     const ByType<Blocks>& blocks);

}  // namespace railyard::placement
