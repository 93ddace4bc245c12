#pragma once

#include <span>
#include <vector>

#include "placement/cost/data_parallel.hpp"
#include "placement/cost/scored.hpp"
#include "placement/mixed/gpu_type.hpp"
#include "placement/mixed/mixed_strategy.hpp"

namespace railyard::placement {

/// What the cost of a mixed strategy is computed from.
struct MixedContext {
  const Job& job;
  std::span<const GpuType> types;
  std::span<const CommunicationModel* const> communication;  ///< by type
  DimensionOrder order = kDefaultOrder;

  /// One type's, for a job whose batch is what its replicas see.
  [[nodiscard]] CostContext of(const Job& its_job, int type) const;
};

/// Parts of the model on each type, for a strategy's widths (tp, cp, ep, micro-batch, ...).
struct TypeBlocks {
  std::vector<GroupShapes> shapes{};  ///< by type
  std::vector<Blocks> blocks{};
};
[[nodiscard]] TypeBlocks type_blocks(const MixedContext& context, const Strategy& strategy);
/// The shapes alone, where blocks of the same widths are there.
[[nodiscard]] std::vector<GroupShapes> type_shapes(const MixedContext& context,
                                                   const Strategy& strategy);

/// A job whose batch makes every replica of the class take its micro-batches.
[[nodiscard]] Job class_job(const Job& job, const Strategy& strategy, const PipelineClass& one);

/// The slowest message between neighbours of a class: between nodes where their types differ.
[[nodiscard]] Time slowest_hop(const MixedContext& context, const Strategy& strategy,
                               std::span<const GroupShapes> shapes, const PipelineClass& one);
/// The pipeline of a class's replicas.
[[nodiscard]] Pipeline pipeline_of(const MixedContext& context, const Strategy& strategy,
                                   std::span<const GroupShapes> shapes, const PipelineClass& one);

/// A mixed strategy with what it costs. step: total is of all, the parts are those of the slowest
/// stage of the slowest class. memory: of the GPU that is filled most for its size.
struct MixedScored {
  MixedStrategy mixed{};
  StepCost step{};
  MemoryParts memory{};
  int fullest = 0;  ///< type of that GPU
  bool fits = false;
  /// By type: what its slowest stage computes in a step.
  std::vector<Time> computing{};
};

/// By formula (docs/models/mixed.md): the slowest class's pipeline, and behind it the collectives,
/// update and offloading of the stages, the longest. A ring over types takes the time of the
/// slowest of them.
[[nodiscard]] MixedScored mixed_cost(const MixedContext& context, const MixedStrategy& mixed,
                                     const TypeBlocks& blocks);

/// What a stage of a class has to do beside its passes.
[[nodiscard]] ReplicaWork mixed_work(const MixedContext& context, const MixedStrategy& mixed,
                                     const PipelineClass& one, const TypeBlocks& blocks, int stage);

/// What a stage of a class does.
struct StageUse {
  int pipeline = 0, stage = 0, type = 0;
  int layers = 0;
  Time pass{};  ///< forward and backward of a micro-batch
  MemoryParts memory{};
};
[[nodiscard]] std::vector<StageUse> stage_uses(const MixedContext& context,
                                               const MixedStrategy& mixed,
                                               const TypeBlocks& blocks);

/// Model operations per second over the peak of all GPUs that take part.
[[nodiscard]] double mfu(const MixedContext& context, const MixedScored& scored);
/// GPUs of each type that take part.
[[nodiscard]] std::vector<int> gpus_used(const MixedStrategy& mixed, std::size_t types);

}  // namespace railyard::placement
