#pragma once

#include <vector>

#include "placement/cost/layer_cost.hpp"
#include "placement/cost/memory.hpp"
#include "placement/cost/pipeline.hpp"
#include "placement/strategy/stages.hpp"

namespace railyard::placement {

/// Passes of the parts of a model: what a step is put together from.
struct Blocks {
  LayerCost dense{}, sparse{}, embedding{}, head{};
  LayerCost tower{};      ///< all towers, without projectors; or the encoder
  LayerCost projector{};  ///< all projectors
};
[[nodiscard]] Blocks block_costs(const CostContext& context, const Strategy& strategy,
                                 const GroupShapes& shapes);

/// Time of one step and where it goes. The parts are those of the slowest pipeline rank: what it
/// computes (waiting for its host included), the collectives of each dimension that nothing hides,
/// and the bubble, which is the rest.
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
[[nodiscard]] RankPass rank_pass(const CostContext& context, const Strategy& strategy,
                                 const Blocks& blocks, int stage);
/// The same as times: on the GPU, or as fast as its host launches kernels.
[[nodiscard]] ChunkTimes pass_times(const CostContext& context, const RankPass& pass);
/// What a rank sends to the next stage after a pass: its part of the activations of a micro-batch
/// (scatter-gather of arXiv 2104.04473, section 4.1). Between stages of an encoder-decoder's
/// decoder the encoder's output goes along, which alone counts where the decoder has one stage.
[[nodiscard]] double hop_bytes(const Job& job, const Strategy& strategy);
/// A message between pipeline ranks that are placed as `pair` says.
[[nodiscard]] Time hop_time(const CostContext& context, const Strategy& strategy,
                            const GroupShape& pair);

/// Cost of a step by formula (docs/models/step.md).
[[nodiscard]] StepCost step_cost(const CostContext& context, const Strategy& strategy,
                                 const GroupShapes& shapes, const Blocks& blocks);

/// The pipeline of a step: its chunks' times, for run_pipeline, and what the passes consist of.
struct StepPipeline {
  Pipeline pipeline{};
  std::vector<ChunkTimes> chunks{};
  std::vector<PassCost> forward{}, backward{};  ///< by chunk
};
[[nodiscard]] StepPipeline step_pipeline(const CostContext& context, const Strategy& strategy,
                                         const GroupShapes& shapes, const Blocks& blocks);

}  // namespace railyard::placement
