#pragma once

#include <functional>
#include <vector>

#include "placement/cost/data_parallel.hpp"
#include "placement/cost/step.hpp"

namespace railyard::placement {

/// A step pass by pass.
struct StepRun {
  Time total{};
  StepPipeline step{};
  PipelineRun run{};
  Time reduced{};                   ///< when all ranks have their gradients: the update follows
  std::vector<ReplicaWork> work{};  ///< by pipeline rank
  int first = 0;                    ///< the rank that has the embedding
  bool behind = false;  ///< collectives over replicas follow the passes, weights the update
};

/// Of m micro-batches so many as are shown of at most `most` (0: all), in multiples of the stages
/// and enough for the schedule.
[[nodiscard]] int shown_micro_batches(int m, int most, const Strategy& strategy);

/// What a run leaves out, to see what that costs.
struct StepWithout {
  bool replicas = false;  ///< collectives of gradients and weights
  bool hops = false;      ///< messages between stages
  bool host = false;      ///< offloading
};

/// The passes of a pipeline and what its ranks have to do beside them.
struct StepParts {
  StepPipeline step{};
  std::vector<ReplicaWork> work{};  ///< by pipeline rank
  std::vector<double> share{};      ///< by pipeline rank: communication_share
};
/// Runs them, as run_step does.
[[nodiscard]] StepRun run_parts(const Model& model, const Strategy& strategy, StepParts parts,
                                int micro_batches = 0, const StepWithout& without = {});
/// `formula` with the parts of runs: `total` says what the step takes without what it is asked to
/// leave out.
[[nodiscard]] StepCost cost_by_runs(StepCost formula,
                                    const std::function<Time(const StepWithout&)>& total);

/// Runs a step (docs/models/step.md, Timeline): the passes of every pipeline rank on its compute
/// stream, messages between stages one after another each way, gradients and weights layer by layer
/// on a stream of their own beside the passes. Then, once every rank has its gradients (their norm
/// is of all of them), the update, transfers to the host, and the weights where they do not
/// overlap. Of at most `micro_batches` (shown_micro_batches).
[[nodiscard]] StepRun run_step(const CostContext& context, const Strategy& strategy,
                               const GroupShapes& shapes, const Blocks& blocks,
                               int micro_batches = 0);

/// step_cost with the step run: dp, pp and offload are what the step is shorter without them (in
/// this order), the bubble what is left.
[[nodiscard]] StepCost run_step_cost(const CostContext& context, const Strategy& strategy,
                                     const GroupShapes& shapes, const Blocks& blocks);

}  // namespace railyard::placement
