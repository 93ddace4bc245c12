#pragma once

#include <vector>

#include "placement/cost/data_parallel.hpp"
#include "placement/cost/layer_cost.hpp"
#include "placement/cost/memory.hpp"
#include "placement/cost/pipeline.hpp"
#include "placement/strategy/stages.hpp"

namespace railyard::placement {

/// Passes of the parts of a model: what a step is put together from.
struct Blocks {
  LayerCost dense{}, sparse{}, embedding{}, head{};
  LayerCost edge_dense{}, edge_sparse{};  ///< at the edges of the network, where a job has such
  LayerCost tower{};                      ///< all towers, without projectors; or the encoder
  LayerCost projector{};                  ///< all projectors
};
[[nodiscard]] Blocks block_costs(const TypeContext& context, const Strategy& strategy,
                                 const GroupShapes& shapes);

/// Groups and parts of the model on each type, for a strategy's widths (tp, cp, ep, micro-batch).
struct TypeBlocks {
  std::vector<GroupShapes> shapes{};
  std::vector<Blocks> blocks{};
};
[[nodiscard]] TypeBlocks type_blocks(const CostContext& context, const Strategy& strategy);
/// The groups alone, where blocks of the same widths are known.
[[nodiscard]] std::vector<GroupShapes> type_shapes(const CostContext& context,
                                                   const Strategy& strategy);

/// Time of one step and where it goes. The parts are those of the slowest stage of the slowest
/// class of replicas: what it computes (waiting for its host included), the collectives of each
/// dimension that nothing hides, and the bubble, which is the rest.
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

/// The passes of a part of the network over one micro-batch.
struct RankPass {
  PassCost forward{}, backward{};
};
[[nodiscard]] RankPass pass_over(const Strategy& strategy, const Blocks& blocks,
                                 const ChunkLayers& layers, const StageEnds& ends);
/// The passes of a pipeline rank over one micro-batch, all its chunks together; of DualPipe, whose
/// ranks do half of the micro-batches on the stage opposite, the mean of both.
[[nodiscard]] RankPass rank_pass(const TypeContext& context, const Strategy& strategy,
                                 const Blocks& blocks, int stage);
/// The same as times: on the GPU, or as fast as its host launches kernels.
[[nodiscard]] ChunkTimes pass_times(const TypeContext& context, const RankPass& pass);
/// What a rank sends to the next stage after a pass: its part of the activations of a micro-batch
/// (scatter-gather of arXiv 2104.04473, section 4.1). Between stages of an encoder-decoder's
/// decoder the encoder's output goes along, which alone counts where the decoder has one stage.
[[nodiscard]] double hop_bytes(const Job& job, const Strategy& strategy);
/// A message between pipeline ranks that are placed as `pair` says.
[[nodiscard]] Time hop_time(const TypeContext& context, const Strategy& strategy,
                            const GroupShape& pair);

/// The slowest message between neighbours of a class: between nodes where their types differ.
[[nodiscard]] Time slowest_hop(const CostContext& context, const Strategy& strategy,
                               const ByType<GroupShapes>& shapes, const PipelineClass& one);
/// The pipeline of a class's replicas.
[[nodiscard]] Pipeline pipeline_of(const CostContext& context, const Strategy& strategy,
                                   const ByType<GroupShapes>& shapes, const PipelineClass& one);

/// Cost of a step by formula (docs/models/step.md): the pipeline of the slowest class of replicas,
/// and behind it the collectives, update and offloading of that type's slowest stage for which they
/// take longest. A ring over several types takes the time of the slowest of them. `computing` gets
/// what the slowest stage of each type computes in a step.
[[nodiscard]] StepCost step_cost(const CostContext& context, const Strategy& strategy,
                                 const ByType<GroupShapes>& shapes, const ByType<Blocks>& blocks,
                                 std::vector<Time>* computing = nullptr);

/// What a stage of a class has to do beside its passes.
[[nodiscard]] ReplicaWork stage_work(const CostContext& context, const Strategy& strategy,
                                     const ByType<GroupShapes>& shapes, const PipelineClass& one,
                                     int stage);

/// What a stage of a class does.
struct StageUse {
  int pipeline = 0, stage = 0, type = 0;
  int layers = 0;
  Time pass{};  ///< forward and backward of a micro-batch
  MemoryParts memory{};
};
[[nodiscard]] std::vector<StageUse> stage_uses(const CostContext& context, const Strategy& strategy,
                                               const ByType<Blocks>& blocks);

/// The pipeline of a class in a step: its chunks' times, for run_pipeline, and what the passes
/// consist of.
struct StepPipeline {
  Pipeline pipeline{};
  std::vector<ChunkTimes> chunks{};
  std::vector<PassCost> forward{}, backward{};  ///< by chunk
};
[[nodiscard]] StepPipeline step_pipeline(const CostContext& context, const Strategy& strategy,
                                         const ByType<GroupShapes>& shapes,
                                         const ByType<Blocks>& blocks, const PipelineClass& one);

}  // namespace railyard::placement
