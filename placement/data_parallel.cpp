#include "placement/data_parallel.hpp"

#include <algorithm>

#include "placement/activations.hpp"
#include "placement/encoder.hpp"
#include "placement/memory.hpp"
#include "placement/stages.hpp"

namespace railyard::placement {
namespace {

using collectives::Kind;

/// Collectives of `time` beside passes of `window`, and what they make a step longer: what the
/// window leaves over, the last of `buckets` in any case, and `share` of what is hidden, since the
/// collectives take that share of the multiprocessors.
struct Beside {
  Time time{}, window{};
  int buckets = 1;
  double share = 0;
  [[nodiscard]] Time longer() const {
    const Time last = Time::picoseconds(time.picoseconds() / std::max(1, buckets));
    const Time exposed = std::max(last, time - window);
    return exposed + Time::from_seconds(share * (time - exposed).seconds());
  }
};

struct Replicas {
  const CostContext& c;
  const Strategy& s;
  const GroupShapes& shapes;
  StageParameters parameters;

  /// In `pieces` collectives one after another; with ZeRO among those that share one copy.
  [[nodiscard]] Time ask(Kind kind, double bytes_per_parameter, int pieces) const {
    const double each = bytes_per_parameter / std::max(1, pieces);
    const GroupShape& dense = s.zero > 0 ? shapes.shard : shapes.replicas;
    Time time = c.collective(kind, dense, parameters.dense * each);
    if (parameters.experts > 0)
      time += c.collective(kind, shapes.expert_replicas, parameters.experts * each);
    return time * std::max(1, pieces);
  }
  /// Each part of the gradients summed over the copies that shard_group leaves.
  [[nodiscard]] Time copies() const {
    if (s.zero == 0) return Time();
    return c.collective(Kind::all_reduce, shapes.mirrors,
                        parameters.dense / s.shards() * c.job.gradient_bytes());
  }
};

/// ZeRO 3. A layer's weights are gathered while the layer before computes, its gradients are
/// scattered while the next one does; copies sum theirs beside the last micro-batch.
Time sharded_every_pass(const Replicas& r, const ChunkTimes& passes, int m, int layers) {
  const Time gather = r.ask(Kind::all_gather, r.c.job.element_bytes(), layers);
  const Time scatter = r.ask(Kind::reduce_scatter, r.c.job.gradient_bytes(), layers);
  const Time copies = r.copies();
  if (!r.s.dp_overlap) return (gather * 2 + scatter) * m + copies;
  const double share = r.c.gpu.compute().communication_share;
  const Beside forward{gather, passes.forward, layers, share};
  const Beside backward{gather + scatter, passes.backward, layers, share};
  const Beside last{gather + scatter + copies, passes.backward, layers, share};
  return forward.longer() * m + backward.longer() * (m - 1) + last.longer();
}

Time once_a_step(const Replicas& r, const ChunkTimes& passes, int m, int layers) {
  const double gradient = r.c.job.gradient_bytes();
  Time reduce, gather;
  if (r.s.zero == 0) {
    reduce = r.ask(Kind::all_reduce, gradient, 1);
  } else {
    reduce = r.ask(Kind::reduce_scatter, gradient, 1) + r.copies();
    gather = r.ask(Kind::all_gather, r.c.job.element_bytes(), 1);
  }
  if (!r.s.dp_overlap) return reduce + gather;
  const double share = r.c.gpu.compute().communication_share, count = gradient_passes(r.s, m);
  const auto window = [&](Time pass) { return Time::from_seconds(pass.seconds() * count); };
  const Beside backward{reduce, window(passes.backward), layers, share};
  const Beside forward{gather, window(passes.forward), layers, share};
  return backward.longer() + (gather > Time() ? forward.longer() : Time());
}

/// Host transfers of one step that its passes do not hide.
Time offloading(const Replicas& r, const ChunkTimes& passes, int stage, int m) {
  const double bandwidth = r.c.gpu.compute().host_bandwidth.bytes_per_second();
  if (bandwidth <= 0) return Time();
  const auto moved = [&](double bytes) { return Time::from_seconds(bytes / bandwidth); };
  const double all = r.parameters.dense + r.parameters.experts;
  Time time;
  if (r.s.offload_optimizer) {
    // Gradients out, weights back.
    const double each = r.c.job.gradient_bytes() + r.c.job.element_bytes();
    time += moved(all * each / (r.s.zero > 0 ? r.s.shards() : 1));
  }
  Time forward, backward;
  if (r.s.offload_activations) {
    const ChunkLayers layers = stage_layers(r.c.job.model, r.s, stage);
    const double kept =
        layers.dense *
            static_cast<double>(layer_activations(r.c.job, r.s, r.s.recompute, false).count()) +
        layers.sparse *
            static_cast<double>(layer_activations(r.c.job, r.s, r.s.recompute, true).count());
    forward += moved(kept);
    backward += moved(kept);
  }
  if (r.s.offload_weights) {
    forward += moved(all * r.c.job.element_bytes());
    backward += moved(all * r.c.job.element_bytes());
  }
  return time + (std::max(Time(), forward - passes.forward) +
                 std::max(Time(), backward - passes.backward)) *
                    m;
}

}  // namespace

double gradient_passes(const Strategy& s, int m) {
  if (s.interleave == 1) return 1;
  return std::clamp(s.pp * (s.interleave - 1.0) / s.interleave, 1.0, static_cast<double>(m));
}

double update_bytes(const Job& job) {
  // Norm and update each read the gradient; three fp32 values in and out, a weight out. A 16-bit
  // gradient is copied to fp32 first (2 in, 4 out) and scaled there (4 in, 4 out), the weight
  // copied from its master (4 in, 2 out).
  const double copies = job.gradients == GradientType::fp16 && job.element_bytes() == 2 ? 18 : 0;
  return 2.0 * 4 + 24 + job.element_bytes() + copies;
}

ReplicaCost replica_cost(const CostContext& c, const Strategy& s, const GroupShapes& shapes,
                         const ChunkTimes& passes, int stage) {
  const Replicas r{
      .c = c, .s = s, .shapes = shapes, .parameters = stage_parameters(c.job, s, stage)};
  const int m = micro_batches(c.job.batch, s);
  const int layers = stage_layers(c.job.model, s, stage).total();
  ReplicaCost cost;
  cost.exposed =
      s.zero == 3 ? sharded_every_pass(r, passes, m, layers) : once_a_step(r, passes, m, layers);
  const Model& model = c.job.model;
  const bool by_encoder = s.tower_stages > 0 && reads_text(model) && !model.encoder->frozen;
  if (by_encoder || (s.pp - s.tower_stages > 1 && model.tied_embeddings)) {
    const double bytes =
        static_cast<double>(model.hidden) * model.vocabulary / s.tp * c.job.gradient_bytes();
    cost.exposed += c.collective(Kind::all_reduce, shapes.embedding, bytes);
  }
  const double shards = s.zero > 0 ? s.shards() : 1;
  const double expert_shards =
      s.zero > 0 ? std::max(1.0, std::min<double>(shards, s.expert_replicas())) : 1;
  const double updated = r.parameters.dense / shards + r.parameters.experts / expert_shards;
  if (!s.offload_optimizer) cost.optimizer = stream_time(c.gpu, updated * update_bytes(c.job));
  cost.offload = offloading(r, passes, stage, m);
  return cost;
}

}  // namespace railyard::placement
