#include "placement/cost/step.hpp"

#include <algorithm>
#include <array>

#include "placement/cost/activations.hpp"
#include "placement/cost/data_parallel.hpp"
#include "placement/cost/encoder_cost.hpp"
#include "placement/cost/tower_cost.hpp"
#include "placement/strategy/stages.hpp"

namespace railyard::placement {
namespace {

Pipeline make_pipeline(const CostContext& c, const Strategy& s, const GroupShapes& shapes) {
  Pipeline p{.schedule = s.schedule,
             .ranks = s.pp,
             .interleave = s.interleave,
             .micro_batches = micro_batches(c.job.batch, s),
             .hop_blocks = !s.pp_overlap};
  if (s.pp > 1) p.hop = hop_time(c, s, shapes.pp);
  return p;
}

constexpr int kMostRanks = 1024;

}  // namespace

Blocks block_costs(const CostContext& c, const Strategy& s, const GroupShapes& shapes) {
  Blocks blocks{.embedding = embedding_cost(c, s, shapes), .head = head_cost(c, s, shapes)};
  const int sparse = c.job.model.moe_layers();
  if (sparse < c.job.model.layers) blocks.dense = layer_cost(c, s, shapes, false);
  if (sparse > 0) blocks.sparse = layer_cost(c, s, shapes, true);
  if (!c.job.model.towers.empty()) {
    blocks.tower = tower_cost(c, s, shapes);
    blocks.projector = projector_cost(c, s, shapes);
  }
  if (c.job.model.encoder) blocks.tower = encoder_cost(c, s, shapes);
  return blocks;
}

StepPipeline step_pipeline(const CostContext& c, const Strategy& s, const GroupShapes& shapes,
                           const Blocks& blocks) {
  StepPipeline step{.pipeline = make_pipeline(c, s, shapes)};
  const int chunks = s.pp * s.interleave;
  for (int chunk = 0; chunk < chunks; ++chunk) {
    const RankPass pass = pass_over(s, blocks, chunk_layers(c.job.model, s, chunk),
                                    stage_ends(c.job.model, s, chunk, chunks));
    step.chunks.push_back(pass_times(c, pass));
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
    const RankPass pass = rank_pass(c, s, blocks, rank);
    times[i] = pass_times(c, pass);
    const auto both = [&](std::size_t j) { return times[j].forward + times[j].backward; };
    if (i == 0 || both(i) > both(slowest)) {
      slowest = i;
      bound = pass;
    }
  }
  const Pipeline pipeline = make_pipeline(c, s, shapes);
  const int m = pipeline.micro_batches;
  const Time piped = pipeline_time(pipeline, {times.data(), ranks});
  Pipeline at_once = pipeline;
  at_once.hop = Time();
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
  if (s.pp > 1) cost.pp = piped - pipeline_time(at_once, {times.data(), ranks});
  cost.bubble = piped - cost.compute - cost.tp - cost.cp - cost.ep - cost.pp;
  cost.dp = replicas.exposed;
  cost.optimizer = replicas.optimizer;
  cost.offload = replicas.offload;
  cost.total = piped + cost.dp + cost.optimizer + cost.offload;
  return cost;
}

}  // namespace railyard::placement
