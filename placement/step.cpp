#include "placement/step.hpp"

#include <algorithm>
#include <array>

#include "placement/activations.hpp"
#include "placement/data_parallel.hpp"
#include "placement/stages.hpp"

namespace railyard::placement {
namespace {

/// A rank's chunks together over one micro-batch.
struct RankPass {
  PassCost forward{}, backward{};
  Time weight{};
};

RankPass passes(const Blocks& blocks, const Strategy& s, ChunkLayers layers, bool first,
                bool last) {
  RankPass pass;
  // With full recomputation of some layers only, the first recompute_layers of a rank are done
  // again.
  const int again =
      s.recompute_layers > 0 ? std::min(s.recompute_layers, layers.total()) : layers.total();
  const auto add = [&](const LayerCost& cost, int times) {
    pass.forward += cost.forward * times;
    pass.backward += cost.backward * times;
  };
  add(blocks.dense, layers.dense);
  if (layers.sparse > 0) add(blocks.sparse, layers.sparse);
  const int dense_again = std::min(again, layers.dense);
  pass.backward += blocks.dense.recompute * dense_again;
  if (layers.sparse > 0) pass.backward += blocks.sparse.recompute * (again - dense_again);
  if (first) add(blocks.embedding, 1);
  if (last) add(blocks.head, 1);
  return pass;
}

/// On the GPU, or as fast as the host launches.
Time elapsed(const CostContext& c, const PassCost& pass) {
  return std::max(pass.total(), c.gpu.compute().launch * pass.kernels);
}

ChunkTimes chunk_times(const CostContext& c, const RankPass& pass) {
  // Of a backward pass's products, half make gradients of weights; elementwise work does not.
  return {.forward = elapsed(c, pass.forward),
          .backward = elapsed(c, pass.backward),
          .weight = Time::picoseconds(pass.forward.compute.picoseconds() * 4 / 5)};
}

Pipeline make_pipeline(const CostContext& c, const Strategy& s, const GroupShapes& shapes) {
  Pipeline p{.schedule = s.schedule,
             .ranks = s.pp,
             .interleave = s.interleave,
             .micro_batches = micro_batches(c.job.batch, s),
             .hop_blocks = !s.pp_overlap};
  if (s.pp > 1) {
    // Ranks of a tensor group send a part each (scatter-gather of arXiv 2104.04473, section 4.1).
    const double bytes =
        micro_batch_tokens(c.job, s) * c.job.model.hidden * c.job.element_bytes() / s.tp;
    GroupShape pair = shapes.pp;
    p.hop = c.collective(collectives::Kind::send_recv, pair, bytes);
  }
  return p;
}

constexpr int kMostRanks = 1024;

}  // namespace

Blocks block_costs(const CostContext& c, const Strategy& s, const GroupShapes& shapes) {
  Blocks blocks{.embedding = embedding_cost(c, s, shapes), .head = head_cost(c, s, shapes)};
  const int sparse = c.job.model.moe_layers();
  if (sparse < c.job.model.layers) blocks.dense = layer_cost(c, s, shapes, false);
  if (sparse > 0) blocks.sparse = layer_cost(c, s, shapes, true);
  return blocks;
}

StepPipeline step_pipeline(const CostContext& c, const Strategy& s, const GroupShapes& shapes,
                           const Blocks& blocks) {
  StepPipeline step{.pipeline = make_pipeline(c, s, shapes)};
  const int chunks = s.pp * s.interleave;
  for (int chunk = 0; chunk < chunks; ++chunk) {
    const RankPass pass =
        passes(blocks, s, chunk_layers(c.job.model, s, chunk), chunk == 0, chunk == chunks - 1);
    step.chunks.push_back(chunk_times(c, pass));
    step.forward.push_back(pass.forward);
    step.backward.push_back(pass.backward);
  }
  return step;
}

StepCost step_cost(const CostContext& c, const Strategy& s, const GroupShapes& shapes,
                   const Blocks& blocks) {
  std::array<ChunkTimes, kMostRanks> times;
  const auto ranks = static_cast<std::size_t>(std::min(s.pp, kMostRanks));
  std::size_t slowest = 0;
  RankPass bound;
  for (std::size_t i = 0; i < ranks; ++i) {
    const int rank = static_cast<int>(i);
    const RankPass pass =
        passes(blocks, s, stage_layers(c.job.model, s, rank), rank == 0, rank == s.pp - 1);
    times[i] = chunk_times(c, pass);
    const auto both = [&](std::size_t j) { return times[j].forward + times[j].backward; };
    if (i == 0 || both(i) > both(slowest)) {
      slowest = i;
      bound = pass;
    }
  }
  const Pipeline pipeline = make_pipeline(c, s, shapes);
  const int m = pipeline.micro_batches;
  const Time piped = pipeline_time(pipeline, {times.data(), ranks});
  const ReplicaCost replicas =
      replica_cost(c, s, shapes, times[slowest], static_cast<int>(slowest));
  StepCost cost{.compute = (times[slowest].forward + times[slowest].backward) * m};
  cost.host_bound = times[slowest].forward > bound.forward.total();
  const PassCost both = [&] {
    PassCost p = bound.forward;
    p += bound.backward;
    return p;
  }();
  cost.tp = both.tp * m;
  cost.cp = both.cp * m;
  cost.ep = both.ep * m;
  cost.compute -= cost.tp + cost.cp + cost.ep;
  if (s.pp > 1)
    cost.pp = pipeline.hop * (2 * (s.pp - 1)) +
              (pipeline.hop_blocks ? pipeline.hop * (2 * s.interleave * (m - 1)) : Time());
  cost.bubble = piped - cost.compute - cost.tp - cost.cp - cost.ep - cost.pp;
  cost.dp = replicas.exposed;
  cost.optimizer = replicas.optimizer;
  cost.offload = replicas.offload;
  cost.total = piped + cost.dp + cost.optimizer + cost.offload;
  return cost;
}

}  // namespace railyard::placement
