#include "placement/cost/activations.hpp"
#include "placement/cost/encoder_cost.hpp"
#include "placement/cost/step.hpp"
#include "placement/strategy/stages.hpp"

namespace railyard::placement {
namespace {

PassCost share_of(const PassCost& pass, double share) {
  const auto part = [&](Time t) { return Time::from_seconds(t.seconds() * share); };
  return {.compute = part(pass.compute),
          .tp = part(pass.tp),
          .cp = part(pass.cp),
          .ep = part(pass.ep),
          .kernels = static_cast<int>(pass.kernels * share)};
}

}  // namespace

RankPass pass_over(const Strategy& s, const BlockCosts& blocks, const ChunkLayers& layers,
                   const StageEnds& ends) {
  RankPass pass;
  // recompute_layers > 0: only the first recompute_layers of the rank are recomputed.
  const int again =
      s.recompute_layers > 0 ? std::min(s.recompute_layers, layers.total()) : layers.total();
  const bool scatters = s.zero >= 2 && s.replicas() > 1;
  const auto add = [&](const LayerCost& cost, int times) {
    pass.forward += cost.forward * times;
    pass.backward += cost.backward * times;
    if (scatters) pass.backward += cost.scatter * times;
  };
  // Among equal layers inner ones are recomputed first, edge layers last.
  const auto layers_of = [&](const LayerCost& inner, const LayerCost& edge, int all, int edges,
                             int repeated) {
    const int others = all - edges, inner_again = std::min(repeated, others);
    add(inner, others);
    pass.backward += inner.recompute * inner_again;
    if (edges == 0) return;
    add(edge, edges);
    pass.backward += edge.recompute * (repeated - inner_again);
  };
  const int dense_again = std::min(again, layers.dense);
  layers_of(blocks.dense, blocks.edge_dense, layers.dense, layers.edge_dense, dense_again);
  if (layers.sparse > 0)
    layers_of(blocks.sparse, blocks.edge_sparse, layers.sparse, layers.edge_sparse,
              again - dense_again);
  if (ends.embedding) add(blocks.embedding, 1);
  if (ends.head) add(blocks.head, 1);
  if (ends.projector) add(blocks.projector, 1);
  if (ends.towers > 0) {
    pass.forward += share_of(blocks.tower.forward, ends.towers);
    pass.backward += share_of(blocks.tower.backward, ends.towers);
    pass.backward += share_of(blocks.tower.recompute, ends.towers);
    if (scatters) pass.backward += share_of(blocks.tower.scatter, ends.towers);
  }
  return pass;
}

RankPass rank_pass(const TypeContext& c, const Strategy& s, const BlockCosts& blocks, int stage) {
  const auto over = [&](int which) {
    return pass_over(s, blocks, stage_layers(c.job, s, which),
                     stage_ends(c.job.model, s, which, s.pp));
  };
  RankPass pass = over(stage);
  if (s.schedule != PipelineSchedule::dualpipe) return pass;
  const RankPass other = over(s.pp - 1 - stage);
  pass.forward += other.forward;
  pass.backward += other.backward;
  return {.forward = share_of(pass.forward, 0.5), .backward = share_of(pass.backward, 0.5)};
}

ChunkTimes pass_times(const TypeContext& c, const RankPass& pass) {
  // The longer of the GPU's time and the host's launches; their sum if the host waits for each
  // kernel.
  const auto elapsed = [&](const PassCost& one) {
    // A graph is one launch; the starts of kernels are part of their times.
    if (c.job.cuda_graphs) return one.total();
    const Time launches = c.gpu.compute().launch * one.kernels;
    return c.job.blocking_launches ? one.total() + launches : std::max(one.total(), launches);
  };
  // Products of weight gradients take as long as the forward products; about a fifth of the forward
  // computation is elementwise and has no weight gradients.
  return {.forward = elapsed(pass.forward),
          .backward = elapsed(pass.backward),
          .weight = Time::picoseconds(pass.forward.compute.picoseconds() * 4 / 5)};
}

double hop_bytes(const Job& job, const Strategy& s) {
  const double layer = micro_batch_tokens(job, s) * job.model.hidden * job.element_bytes() / s.tp;
  if (!job.model.encoder) return layer;
  // The encoder's output is sent to every stage of the decoder.
  const double output = encoder_output_bytes(job, s) / (s.sequence_parallel ? 1 : s.tp);
  return output + (s.pp - s.tower_stages > 1 ? layer : 0);
}

Time hop_time(const TypeContext& c, const Strategy& s, const GroupShape& pair) {
  return c.collective(
      {collectives::Kind::send_recv, GroupRole::pipeline, pair, hop_bytes(c.job, s)});
}

}  // namespace railyard::placement
