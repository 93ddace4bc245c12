#include "placement/data_parallel.hpp"

#include <algorithm>

#include "placement/activations.hpp"
#include "placement/memory.hpp"
#include "placement/stages.hpp"

namespace railyard::placement {
namespace {

using collectives::Kind;

/// What of `time` a window leaves; the last of `buckets` comes after it in any case.
Time exposed(Time time, Time window, int buckets) {
  const Time last = Time::picoseconds(time.picoseconds() / std::max(1, buckets));
  return std::max(last, time - window);
}

struct Replicas {
  const CostContext& c;
  const Strategy& s;
  const GroupShapes& shapes;
  StageParameters parameters;

  [[nodiscard]] Time ask(Kind kind, double bytes_per_parameter) const {
    Time time = c.collective(kind, shapes.replicas, parameters.dense * bytes_per_parameter);
    if (parameters.experts > 0)
      time += c.collective(kind, shapes.expert_replicas, parameters.experts * bytes_per_parameter);
    return time;
  }
};

Time sharded_every_pass(const Replicas& r, const ChunkTimes& passes, int m) {
  const Time gather = r.ask(Kind::all_gather, r.c.job.element_bytes());
  const Time scatter = r.ask(Kind::reduce_scatter, r.c.job.gradient_bytes());
  if (!r.s.dp_overlap) return (gather * 2 + scatter) * m;
  const Time forward = std::max(Time(), gather - passes.forward);
  const Time backward = std::max(Time(), gather + scatter - passes.backward);
  return (forward + backward) * m;
}

Time once_a_step(const Replicas& r, const ChunkTimes& passes, int layers) {
  const double gradient = r.c.job.gradient_bytes();
  Time reduce, gather;
  if (r.s.zero == 0) {
    reduce = r.ask(Kind::all_reduce, gradient);
  } else {
    reduce = r.ask(Kind::reduce_scatter, gradient);
    gather = r.ask(Kind::all_gather, r.c.job.element_bytes());
  }
  if (!r.s.dp_overlap) return reduce + gather;
  return exposed(reduce, passes.backward, layers) +
         (gather > Time() ? exposed(gather, passes.forward, layers) : Time());
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

ReplicaCost replica_cost(const CostContext& c, const Strategy& s, const GroupShapes& shapes,
                         const ChunkTimes& passes, int stage) {
  const Replicas r{
      .c = c, .s = s, .shapes = shapes, .parameters = stage_parameters(c.job, s, stage)};
  const int m = micro_batches(c.job.batch, s);
  const int layers = stage_layers(c.job.model, s, stage).total();
  ReplicaCost cost;
  cost.exposed = s.zero == 3 ? sharded_every_pass(r, passes, m) : once_a_step(r, passes, layers);
  if (s.pp > 1 && c.job.model.tied_embeddings) {
    const double bytes = static_cast<double>(c.job.model.hidden) * c.job.model.vocabulary / s.tp *
                         c.job.gradient_bytes();
    cost.exposed += c.collective(Kind::all_reduce, shapes.embedding, bytes);
  }
  const double shards = s.zero > 0 ? s.shards() : 1;
  const double expert_shards =
      s.zero > 0 ? std::max(1.0, std::min<double>(shards, s.expert_replicas())) : 1;
  const double updated = r.parameters.dense / shards + r.parameters.experts / expert_shards;
  // Gradient read for its norm and for the update, three fp32 values in and out, a weight out.
  const double each = 2.0 * c.job.gradient_bytes() + 24 + c.job.element_bytes();
  if (!s.offload_optimizer) cost.optimizer = stream_time(c.gpu, updated * each);
  cost.offload = offloading(r, passes, stage, m);
  return cost;
}

}  // namespace railyard::placement
