#include "placement/cost/data_parallel.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/diagnostic.hpp"
#include "placement/cost/activations.hpp"
#include "placement/cost/memory.hpp"
#include "placement/model/encoder.hpp"
#include "placement/strategy/stages.hpp"

namespace railyard::placement {
namespace {

using collectives::Kind;

/// Collectives of total length `time` that overlap passes of length `window`. They lengthen a step
/// by the time beyond the window, at least by the last of `buckets`. They also lengthen it by
/// `share` of the overlapped time, because they occupy this fraction of the multiprocessors.
struct OverlappedCollectives {
  Time time{}, window{};
  int buckets = 1;
  double share = 0;
  [[nodiscard]] Time extra_time() const {
    const Time last = Time::picoseconds(time.picoseconds() / std::max(1, buckets));
    const Time exposed = std::max(last, time - window);
    return exposed + Time::from_seconds(share * (time - exposed).seconds());
  }
};

/// Computes the time of collectives over the replicas of a stage's parameters.
struct Replicas {
  const TypeContext& c;
  const Strategy& s;
  const GroupShapes& shapes;
  StageParameters parameters;

  /// Time of `pieces` sequential collectives; with ZeRO, among the ranks that share one copy.
  [[nodiscard]] Time ask(Kind kind, double bytes_per_parameter, int pieces) const {
    return ask(kind, GatheredWeight{bytes_per_parameter, bytes_per_parameter}, pieces);
  }
  [[nodiscard]] Time ask(Kind kind, const GatheredWeight& bytes, int pieces) const {
    const double part = std::max(1, pieces);
    const GroupRole dense = s.zero > 0 ? GroupRole::shard : GroupRole::data;
    const GroupRole experts = s.zero > 0 ? GroupRole::expert_shard : GroupRole::expert_data;
    Time time = c.collective({kind, dense, shapes[dense], parameters.dense * (bytes.dense / part)});
    if (parameters.experts > 0)
      time += c.collective(
          {kind, experts, shapes[experts], parameters.experts * (bytes.experts / part)});
    return time * std::max(1, pieces);
  }
  /// Time to sum gradient shards over the copies of sharded state.
  [[nodiscard]] Time copies() const {
    if (s.zero == 0) return Time();
    const double gradient = c.job.gradient_bytes();
    Time time = c.collective({Kind::all_reduce, GroupRole::copies, shapes.mirrors,
                              parameters.dense / s.shards() * gradient});
    if (parameters.experts > 0)
      time += c.collective({Kind::all_reduce, GroupRole::expert_copies, shapes.expert_mirrors,
                            parameters.experts / s.expert_shards() * gradient});
    return time;
  }
};

void add_collectives(const Replicas& r, int stage, ReplicaWork& work) {
  const auto pieces = [&](int from) { return r.s.zero >= from ? work.buckets : 1; };
  const double gradient = r.c.job.gradient_bytes();
  if (r.s.zero == 0) {
    work.reduce = r.ask(Kind::all_reduce, gradient, 1);
    return;
  }
  work.reduce = r.ask(Kind::reduce_scatter, gradient, pieces(2));
  work.gather = r.ask(Kind::all_gather, gathered_weight(r.c.job, r.s, stage), pieces(3));
  if (r.s.zero >= 2)
    work.copies = r.copies();
  else
    work.reduce += r.copies();
}

/// Adds transfers between GPU and host.
void add_host(const TypeContext& c, const Strategy& s, const StageParameters& parameters, int stage,
              ReplicaWork& work) {
  if (!s.offload_optimizer && !s.offload_activations && !s.offload_weights) return;
  require_host_bandwidth(c.gpu);
  const double bandwidth = c.gpu.compute().host_bandwidth.bytes_per_second();
  const auto moved = [&](double bytes) { return Time::from_seconds(bytes / bandwidth); };
  const double all = parameters.dense + parameters.experts;
  if (s.offload_optimizer) {
    // Gradients to the host, weights back.
    const double each = c.job.gradient_bytes() + c.job.element_bytes();
    work.host = moved(updated_parameters(parameters, s) * each);
  }
  double beside = 0;
  if (s.offload_activations) {
    const ChunkLayers layers = stage_layers(c.job, s, stage);
    const auto kept = [&](int count, bool experts, bool edge) {
      if (count == 0) return 0.0;
      const Bytes each = layer_activations(c.job, s, s.recompute, experts, edge);
      return count * static_cast<double>(each.count());
    };
    beside += kept(layers.dense - layers.edge_dense, false, false) +
              kept(layers.edge_dense, false, true) +
              kept(layers.sparse - layers.edge_sparse, true, false) +
              kept(layers.edge_sparse, true, true);
  }
  if (s.offload_weights) beside += all * c.job.element_bytes();
  work.forward_host = work.backward_host = moved(beside);
}

/// Time of the collectives in `work` that does not overlap with passes, per step of m
/// micro-batches.
Time exposed(const TypeContext& c, const Strategy& s, const ReplicaWork& work,
             const ChunkTimes& passes, int m) {
  // Ranks that keep only shards of gradients reduce-scatter those of every micro-batch.
  const bool gathers = s.zero == 3, scatters = s.zero >= 2;
  const Time again = gathers ? work.gather : Time();
  if (!s.dp_overlap)
    return work.gather * (gathers ? m : 1) + (again + work.reduce) * (scatters ? m : 1) +
           work.copies;
  const double share = c.gpu.compute().communication_share;
  const double count = scatters ? 1 : gradient_passes(s, m);
  const auto beside = [&](Time collectives, Time pass) {
    const Time window = Time::from_seconds(pass.seconds() * count);
    return OverlappedCollectives{collectives, window, work.buckets, share}.extra_time();
  };
  const Time forward = work.gather > Time() ? beside(work.gather, passes.forward) : Time();
  const Time behind = again + work.reduce;
  const Time last = beside(behind + work.copies, passes.backward);
  return forward * (gathers ? m : 1) + last +
         (scatters ? beside(behind, passes.backward) * (m - 1) : Time());
}

}  // namespace

double gradient_passes(const Strategy& s, int m) {
  if (s.interleave == 1) return 1;
  return std::clamp(s.pp * (s.interleave - 1.0) / s.interleave, 1.0, static_cast<double>(m));
}

void require_host_bandwidth(const Processor& gpu) {
  if (gpu.compute().host_bandwidth == Bandwidth())
    throw InputError(
        "", "offload",
        fmt::format("the bandwidth from {} to its host's memory is not known", gpu.gpu.name),
        "add host_bandwidth to \"compute\" in its config, or leave out offloading");
}

double update_bytes(const Job& job) {
  // Bytes per parameter. The gradient norm and the update each read a 4-byte gradient; the fp32
  // master copy and two moments are read and written, and the weight is written. A 16-bit gradient
  // is first copied to fp32 (2 in, 4 out) and scaled (4 in, 4 out), and the weight is copied from
  // its master (4 in): 18 more.
  const double copies = job.gradients == GradientType::fp16 && job.element_bytes() == 2 ? 18 : 0;
  const double state = 2.0 * (4 + 2 * job.moment_bytes());
  return 2.0 * 4 + state + job.element_bytes() + copies;
}

double buffer_bytes(const Job& job, const Strategy& s) {
  if (s.replicas() == 1) return job.gradient_bytes();
  return s.zero >= 2 ? 0 : 3.0 * job.gradient_bytes();
}

ReplicaWork replica_work(const TypeContext& c, const Strategy& s, const GroupShapes& shapes,
                         int stage) {
  const StageParameters held = rank_parameters(c.job, s, stage);
  ReplicaWork work{.buckets = std::max(1, stage_layers(c.job.model, s, stage).total())};
  add_collectives({.c = c, .s = s, .shapes = shapes, .parameters = held}, stage, work);
  const Model& model = c.job.model;
  const bool by_encoder = s.tower_stages > 0 && reads_text(model) && !model.encoder->frozen;
  if (by_encoder || (s.pp - s.tower_stages > 1 && model.tied_embeddings)) {
    const double bytes =
        static_cast<double>(model.hidden) * model.vocabulary / s.tp * c.job.gradient_bytes();
    work.tied = c.collective({Kind::all_reduce, GroupRole::embedding, shapes.embedding, bytes});
  }
  work.optimizer = stream_time(c.gpu, (held.dense + held.experts) * buffer_bytes(c.job, s));
  if (!s.offload_optimizer)
    work.optimizer += stream_time(c.gpu, updated_parameters(held, s) * update_bytes(c.job));
  add_host(c, s, held, stage, work);
  return work;
}

ReplicaCost replica_cost(const TypeContext& c, const Strategy& s, const GroupShapes& shapes,
                         const ChunkTimes& passes, int stage, int m) {
  const ReplicaWork work = replica_work(c, s, shapes, stage);
  const Time forward = std::max(Time(), work.forward_host - passes.forward);
  const Time backward = std::max(Time(), work.backward_host - passes.backward);
  return {.exposed = exposed(c, s, work, passes, m) + work.tied,
          .optimizer = work.optimizer,
          .offload = work.host + (forward + backward) * m};
}

}  // namespace railyard::placement
