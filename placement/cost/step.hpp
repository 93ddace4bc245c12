#pragma once

#include <vector>

#include "placement/cost/data_parallel.hpp"
#include "placement/cost/layer_cost.hpp"
#include "placement/cost/memory.hpp"
#include "placement/cost/pipeline.hpp"
#include "placement/strategy/stages.hpp"

namespace railyard::placement {

/// Costs of the parts of a model on one rank; a stage's passes are sums of these.
struct BlockCosts {
  LayerCost dense{}, sparse{}, embedding{}, head{};
  LayerCost edge_dense{}, edge_sparse{};  ///< layers with the precisions of edge layers, if the
                                          ///< job has such rules
  LayerCost tower{};                      ///< all towers without projectors, or the encoder
  LayerCost projector{};                  ///< all projectors
};
[[nodiscard]] BlockCosts block_costs(const TypeContext& context, const Strategy& strategy,
                                     const GroupShapes& shapes);

/// Group shapes and costs of the model's parts, by type, for a strategy's widths (tp, cp, ep,
/// micro-batch).
struct TypeBlocks {
  std::vector<GroupShapes> shapes{};
  std::vector<BlockCosts> blocks{};
};
[[nodiscard]] TypeBlocks type_blocks(const CostContext& context, const Strategy& strategy);
/// Only the shapes, if costs for the same widths are known.
[[nodiscard]] std::vector<GroupShapes> type_shapes(const CostContext& context,
                                                   const Strategy& strategy);

/// Time of one step and its parts, on the slowest stage of the slowest class of replicas:
/// computation (waits for the host's launches included), exposed collectives by dimension, and the
/// bubble, which is the remainder.
struct StepCost {
  Time total{};
  Time compute{};
  Time tp{}, pp{}, dp{}, ep{}, cp{};
  Time optimizer{};
  Time offload{};
  Time bubble{};
  bool host_bound = false;  ///< the host launches kernels more slowly than the GPU runs them
  [[nodiscard]] Time exposed() const { return tp + pp + dp + ep + cp; }
};

/// Passes over a part of the network for one micro-batch.
struct RankPass {
  PassCost forward{}, backward{};
};
[[nodiscard]] RankPass pass_over(const Strategy& strategy, const BlockCosts& blocks,
                                 const ChunkLayers& layers, const StageEnds& ends);
/// Passes of a pipeline rank over one micro-batch, all its chunks together. With DualPipe the mean
/// of its two stages, because half of the micro-batches use each.
[[nodiscard]] RankPass rank_pass(const TypeContext& context, const Strategy& strategy,
                                 const BlockCosts& blocks, int stage);
/// Durations of these passes: the GPU's time, or the time in which the host launches their kernels.
[[nodiscard]] ChunkTimes pass_times(const TypeContext& context, const RankPass& pass);
/// Bytes that a rank sends to the next stage after a pass: its part of the micro-batch's
/// activations (scatter-gather of arXiv 2104.04473, section 4.1). Encoder-decoder models send the
/// encoder's output too; it is all that is sent if the decoder has only one stage.
[[nodiscard]] double hop_bytes(const Job& job, const Strategy& strategy);
/// Time of a message between pipeline ranks placed as `pair`.
[[nodiscard]] Time hop_time(const TypeContext& context, const Strategy& strategy,
                            const GroupShape& pair);

/// The slowest message between neighbours of a class; stages on different types are on different
/// nodes.
[[nodiscard]] Time slowest_hop(const CostContext& context, const Strategy& strategy,
                               const ByType<GroupShapes>& shapes, const PipelineClass& one);
/// The pipeline of one replica of a class.
[[nodiscard]] Pipeline pipeline_of(const CostContext& context, const Strategy& strategy,
                                   const ByType<GroupShapes>& shapes, const PipelineClass& one);

/// Cost of a step by formula (docs/models/step.md): the pipeline of the slowest class, and after it
/// the collectives, optimizer and offloading of a slowest stage, for the class and type where these
/// take longest. A ring over several types takes the time of its slowest type. `computing`, if
/// given, gets ScoredStrategy::computing.
[[nodiscard]] StepCost step_cost(const CostContext& context, const Strategy& strategy,
                                 const ByType<GroupShapes>& shapes,
                                 const ByType<BlockCosts>& blocks,
                                 std::vector<Time>* computing = nullptr);

/// replica_work of one stage of a class. The replicas of that stage may be on several types.
[[nodiscard]] ReplicaWork stage_work(const CostContext& context, const Strategy& strategy,
                                     const ByType<GroupShapes>& shapes, const PipelineClass& one,
                                     int stage);

/// Layers, time and memory of one stage of one class.
struct StageUse {
  int pipeline = 0, stage = 0, type = 0;  ///< index of the class, of the stage and of the type
  int layers = 0;
  Time pass{};  ///< forward and backward for one micro-batch
  MemoryParts memory{};
};
[[nodiscard]] std::vector<StageUse> stage_uses(const CostContext& context, const Strategy& strategy,
                                               const ByType<BlockCosts>& blocks);

/// The pipeline of a class with the times of its chunks, for run_pipeline, and the costs behind
/// these times.
struct StepPipeline {
  Pipeline pipeline{};
  std::vector<ChunkTimes> chunks{};
  std::vector<PassCost> forward{}, backward{};  ///< by chunk
};
[[nodiscard]] StepPipeline step_pipeline(const CostContext& context, const Strategy& strategy,
                                         const ByType<GroupShapes>& shapes,
                                         const ByType<BlockCosts>& blocks,
                                         const PipelineClass& one);

}  // namespace railyard::placement
