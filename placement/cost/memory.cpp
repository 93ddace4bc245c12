#include "placement/cost/memory.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "placement/cost/activations.hpp"
#include "placement/cost/encoder_cost.hpp"
#include "placement/cost/tower_cost.hpp"
#include "placement/model/encoder.hpp"
#include "placement/model/parameters.hpp"
#include "placement/strategy/stages.hpp"

namespace railyard::placement {
namespace {

Bytes whole_bytes(double bytes) { return Bytes(std::llround(bytes)); }

/// Parameters of one layer on one rank.
StageParameters layer_share(const Model& model, const Strategy& s, bool with_experts) {
  const LayerParameters p = layer_parameters(model, with_experts);
  // With more ranks than key and value heads, heads are replicated.
  const double copied =
      model.mla ? 0 : 2.0 * (model.kv_heads_over(s.tp) - model.kv()) * model.dim() * model.hidden;
  return {.dense = (static_cast<double>(p.attention + p.cross + p.mlp) + copied) / s.tp +
                   static_cast<double>(p.latent + p.replicated),
          .experts = static_cast<double>(p.experts) / (s.ep * s.etp)};
}

/// A rank's parameters whose products have 8 or 4 bits, and the bytes of one copy in that
/// precision.
struct NarrowCopies {
  double dense = 0, experts = 0;             ///< parameters whose products are narrow
  double dense_bytes = 0, expert_bytes = 0;  ///< bytes of one copy of these parameters
  double per_tensor = 0;                     ///< bytes of those with one scale per tensor (fp8)
};
NarrowCopies narrow_copies(const Job& job, const Strategy& s, const ChunkLayers& layers) {
  NarrowCopies sum;
  const auto add = [&](bool with_experts, int count, bool edge) {
    if (count == 0) return;
    const auto one = [&](LayerPart part, double parameters, double& all, double& bytes) {
      const Precision precision = job.precision_of(part, edge);
      if (!is_narrow(precision)) return;
      all += count * parameters;
      bytes += count * parameters * operand_bytes(precision);
      if (precision == Precision::fp8) sum.per_tensor += count * parameters;
    };
    const StageParameters share = layer_share(job.model, s, with_experts);
    const auto whole = static_cast<double>(layer_parameters(job.model, with_experts).attention);
    const double attention = std::min(share.dense, whole / s.tp);
    one(LayerPart::attention, attention, sum.dense, sum.dense_bytes);
    one(LayerPart::mlp, share.dense - attention, sum.dense, sum.dense_bytes);
    one(LayerPart::experts, share.experts, sum.experts, sum.expert_bytes);
  };
  add(false, layers.dense - layers.edge_dense, false);
  add(false, layers.edge_dense, true);
  add(true, layers.sparse - layers.edge_sparse, false);
  add(true, layers.edge_sparse, true);
  return sum;
}

/// Additional bytes for 8-bit and 4-bit copies of weights. TransformerEngine keeps two from one
/// micro-batch to the next: as stored and transposed (block scales: by rows and by columns). A GPU
/// that reads columns needs one copy of fp8 weights with one scale per tensor. Sharded weights
/// (ZeRO 3) are cast after they are gathered and are counted there as 16-bit. With narrow_weights
/// the copies replace the 16-bit weights.
double narrow_copy_bytes(const Job& job, const Strategy& s, const ChunkLayers& layers,
                         const MemoryTraits& gpu) {
  constexpr double kCopies = 2;
  if (s.zero >= 3 || s.offload_weights) return 0;
  const NarrowCopies copies = narrow_copies(job, s, layers);
  const double wide =
      job.narrow_weights ? job.element_bytes() * (copies.dense + copies.experts) : 0;
  const double shared = gpu.reads_columns ? copies.per_tensor : 0;
  return kCopies * (copies.dense_bytes + copies.expert_bytes) - shared - wide;
}

/// Bytes that the layers of a stage keep for one micro-batch.
double kept_activations(const Job& job, const Strategy& s, const ChunkLayers& layers) {
  const auto of = [&](Recompute r, bool experts, int count, int edges) {
    const auto each = [&](bool edge, int its) {
      if (its == 0) return 0.0;
      return its * static_cast<double>(layer_activations(job, s, r, experts, edge).count());
    };
    return each(false, count - edges) + each(true, edges);
  };
  if (s.recompute != Recompute::full || s.recompute_layers == 0)
    return of(s.recompute, false, layers.dense, layers.edge_dense) +
           of(s.recompute, true, layers.sparse, layers.edge_sparse);
  // Only the first recompute_layers of the stage are recomputed; the others, edge layers among
  // them, keep everything.
  const int dense = std::min(s.recompute_layers, layers.dense);
  const int sparse = std::min(s.recompute_layers - dense, layers.sparse);
  return of(Recompute::full, false, dense, 0) + of(Recompute::full, true, sparse, 0) +
         of(Recompute::none, false, layers.dense - dense,
            std::min(layers.edge_dense, layers.dense - dense)) +
         of(Recompute::none, true, layers.sparse - sparse,
            std::min(layers.edge_sparse, layers.sparse - sparse));
}

/// Bytes of a stage's activations, ends included, for all micro-batches in flight.
double stage_activations(const Job& job, const Strategy& s, int stage, int m) {
  const ChunkLayers layers = stage_layers(job, s, stage);
  const StageEnds ends = stage_ends(job.model, s, stage, s.pp);
  double each = kept_activations(job, s, layers);
  if (ends.towers > 0) each += ends.towers * tower_activations(job, s);
  if (ends.projector) each += projector_activations(job, s);
  if (job.model.encoder) {
    // The encoder's layers on the stage, and its output where layers attend to it.
    if (ends.towers > 0) each += ends.towers * encoder_activations(job, s);
    if (layers.total() > 0) each += encoder_output_bytes(job, s);
  }
  double bytes = each * micro_batches_in_flight(m, s, stage);
  const double waiting = awaiting_weight_gradients(m, s, stage);
  const auto wait = [&](bool experts, int count) {
    if (count > 0)
      bytes +=
          waiting * count * static_cast<double>(weight_gradient_inputs(job, s, experts).count());
  };
  if (waiting > 0) {
    wait(false, layers.dense);
    wait(true, layers.sparse);
  }
  return bytes;
}

/// Bytes of gathered weights (from shards or from the host): the layer that computes and the next
/// one, which may be embedding or head; and of one layer's gradients before they are scattered.
double gathered(const Job& job, const Strategy& s, const StageEnds& ends, bool experts) {
  const bool sharded = s.zero >= 2 && (s.shards() > 1 || (experts && s.expert_shards() > 1));
  if (!sharded && !s.offload_weights) return 0;
  const StageParameters share = layer_share(job.model, s, experts);
  const double layer = share.dense + share.experts;
  const double end = ends.embedding || ends.head
                         ? static_cast<double>(job.model.hidden) * job.model.vocabulary / s.tp
                         : 0;
  double bytes = sharded ? job.gradient_bytes() * layer : 0;
  if ((sharded && s.zero == 3) || s.offload_weights)
    bytes += job.element_bytes() * (layer + std::max(layer, end));
  return bytes;
}

/// Memory in use besides the kept activations: a recomputed layer or its recomputed outputs, keys
/// and values of other context ranks, logits (with GPipe of all micro-batches, because backward
/// passes come last), gathered layers.
double working_set(const Job& job, const Strategy& s, const ChunkLayers& layers, int stage, int m) {
  const bool experts = layers.sparse > 0;
  const StageEnds ends = stage_ends(job.model, s, stage, s.pp);
  double bytes = gathered(job, s, ends, experts);
  if (s.recompute == Recompute::full)
    bytes += static_cast<double>(layer_activations(job, s, Recompute::none, experts).count());
  if (s.recomputes_operations())
    bytes += static_cast<double>(recomputed_outputs(job, s, experts).count());
  bytes += static_cast<double>(context_buffers(job, s).count());
  // DualPipe's first rank also holds the last stage, for micro-batches in the other direction.
  const bool loss = ends.head || (s.schedule == PipelineSchedule::dualpipe && stage == 0);
  const double losses =
      s.schedule == PipelineSchedule::gpipe ? micro_batches_in_flight(m, s, stage) : 1;
  if (loss) bytes += losses * static_cast<double>(logits(job, s).count());
  return bytes;
}

}  // namespace

StageParameters stage_parameters(const Job& job, const Strategy& s, int stage) {
  const Model& m = job.model;
  const ChunkLayers layers = stage_layers(job, s, stage);
  const StageParameters dense = layer_share(m, s, false);
  StageParameters sum{.dense = layers.dense * dense.dense, .experts = 0};
  if (layers.sparse > 0) {
    const StageParameters sparse = layer_share(m, s, true);
    sum.dense += layers.sparse * sparse.dense;
    sum.experts = layers.sparse * sparse.experts;
  }
  const StageEnds ends = stage_ends(m, s, stage, s.pp);
  if (ends.towers > 0 || ends.projector) {
    const TowerParameters towers = tower_parameters(m);
    sum.frozen = ends.towers * static_cast<double>(towers.frozen) / s.tp;
    sum.dense += ends.towers * static_cast<double>(towers.trained) / s.tp;
    if (ends.projector) sum.dense += static_cast<double>(towers.projector) / s.tp;
  }
  const double table = static_cast<double>(m.hidden) * m.vocabulary / s.tp;
  if (m.encoder && ends.towers > 0) {
    // A text encoder on stages of its own needs a copy of the embedding on the first one.
    const bool copy = reads_text(m) && stage == 0 && !ends.embedding;
    (m.encoder->frozen ? sum.frozen : sum.dense) +=
        ends.towers * static_cast<double>(encoder_parameters(m)) / s.tp + (copy ? table : 0);
  }
  if (ends.embedding)
    sum.dense += table + static_cast<double>(m.hidden) * m.positions +
                 static_cast<double>(relative_parameters(m)) / s.tp;
  if (ends.head) sum.dense += (m.norm == Norm::layer_norm ? 2.0 : 1.0) * m.hidden;
  // A tied head on another stage is a second copy of the embedding.
  if (ends.head && (!ends.embedding || !m.tied_embeddings)) sum.dense += table;
  return sum;
}

StageParameters rank_parameters(const Job& job, const Strategy& s, int rank) {
  StageParameters held = stage_parameters(job, s, rank);
  if (s.schedule != PipelineSchedule::dualpipe) return held;
  const StageParameters other = stage_parameters(job, s, s.pp - 1 - rank);
  held.dense += other.dense;
  held.experts += other.experts;
  held.frozen += other.frozen;
  return held;
}

GatheredWeight gathered_weight(const Job& job, const Strategy& s, int rank) {
  const double wide = job.element_bytes();
  GatheredWeight each{wide, wide};
  if (!job.narrow_weights) return each;
  const StageParameters held = rank_parameters(job, s, rank);
  NarrowCopies narrow = narrow_copies(job, s, stage_layers(job, s, rank));
  if (s.schedule == PipelineSchedule::dualpipe) {
    const NarrowCopies other = narrow_copies(job, s, stage_layers(job, s, s.pp - 1 - rank));
    narrow.dense += other.dense;
    narrow.experts += other.experts;
    narrow.dense_bytes += other.dense_bytes;
    narrow.expert_bytes += other.expert_bytes;
  }
  if (held.dense > 0)
    each.dense = (narrow.dense_bytes + wide * (held.dense - narrow.dense)) / held.dense;
  if (held.experts > 0)
    each.experts = (narrow.expert_bytes + wide * (held.experts - narrow.experts)) / held.experts;
  return each;
}

double updated_parameters(const StageParameters& held, const Strategy& s) {
  if (s.zero == 0) return held.dense + held.experts;
  const double holders = s.schedule == PipelineSchedule::dualpipe ? 2 : 1;
  return (held.dense / s.shards() + held.experts / s.expert_shards()) / holders;
}

MemoryTraits memory_traits(const Processor& gpu) {
  // TransformerEngine's nvte_is_non_tn_fp8_gemm_supported: not on compute capability 12.x.
  const int capability = gpu.gpu.compute_capability;
  const bool columns = (capability >= 100 && capability < 120) || capability >= 130;
  return {.reserved = gpu.compute().reserved, .reads_columns = columns};
}

MemoryParts stage_memory(const Job& job, const Strategy& s, int stage, const MemoryTraits& gpu,
                         int micro_batches) {
  const int m = micro_batches > 0 ? micro_batches : placement::micro_batches(job.batch, s);
  const StageParameters held = rank_parameters(job, s, stage);
  const ChunkLayers layers = stage_layers(job, s, stage);
  const auto bytes = [&](double each, bool sharded) {
    return whole_bytes(each * (sharded ? held.dense / s.shards() + held.experts / s.expert_shards()
                                       : held.dense + held.experts));
  };
  MemoryParts parts;
  parts.weights =
      bytes(job.element_bytes(), s.zero >= 3) + whole_bytes(job.element_bytes() * held.frozen);
  parts.gradients = bytes(job.gradient_bytes(), s.zero >= 2);
  parts.optimizer = whole_bytes(job.optimizer_bytes() * updated_parameters(held, s));
  double casts = narrow_copy_bytes(job, s, layers, gpu);
  if (s.schedule == PipelineSchedule::dualpipe)
    casts += narrow_copy_bytes(job, s, stage_layers(job, s, s.pp - 1 - stage), gpu);
  parts.weights = Bytes(
      std::max<std::int64_t>(0, std::llround(static_cast<double>(parts.weights.count()) + casts)));
  if (s.offload_weights) parts.weights = Bytes();
  if (s.offload_optimizer) parts.optimizer = Bytes();
  double kept = stage_activations(job, s, stage, m);
  // With DualPipe half of the micro-batches use each of the rank's two stages.
  if (s.schedule == PipelineSchedule::dualpipe)
    kept = (kept + stage_activations(job, s, s.pp - 1 - stage, m)) / 2;
  // Offloading keeps a double buffer of one layer.
  parts.activations = s.offload_activations && layers.total() > 0
                          ? whole_bytes(2 * kept_activations(job, s, layers) / layers.total())
                          : whole_bytes(kept);
  parts.buffers = whole_bytes(working_set(job, s, layers, stage, m));
  parts.reserved = gpu.reserved;
  return parts;
}

MemoryParts peak_memory(const Job& job, const Strategy& s, const MemoryTraits& gpu,
                        int micro_batches) {
  MemoryParts most = stage_memory(job, s, 0, gpu, micro_batches);
  const auto take = [&](int stage) {
    const MemoryParts other = stage_memory(job, s, stage, gpu, micro_batches);
    if (other.total() > most.total()) most = other;
  };
  // If all inner stages have equal layers, the first of them uses most memory, because later ones
  // have fewer micro-batches in flight.
  const int units = job.model.layers + (s.even_ends ? 2 : 0);
  // Not so with DualPipe (two stages per rank) and ZB-H1 (later stages keep more inputs of weight
  // gradients).
  const bool falls =
      s.schedule != PipelineSchedule::dualpipe && s.schedule != PipelineSchedule::zero_bubble;
  const bool alike = falls && units % (s.pp * s.interleave) == 0 && !job.model.moe &&
                     s.layers.empty() && s.tower_stages == 0 && !job.has_edges();
  const bool known_kinds = falls && !job.model.has_front();
  const int last = s.pp - 1, inner = alike ? std::min(2, last) : last;
  std::array<ChunkLayers, 8> seen{};  // more kinds than that are computed each time
  std::size_t kinds = 0;
  for (int stage = 1; stage < inner; ++stage) {
    const ChunkLayers layers = stage_layers(job, s, stage);
    const auto end = seen.begin() + static_cast<std::ptrdiff_t>(kinds);
    if (known_kinds && std::find(seen.begin(), end, layers) != end) continue;
    if (kinds < seen.size()) seen[kinds++] = layers;
    take(stage);
  }
  if (last > 0) take(last);
  return most;
}

FullestGpu fullest_gpu(const CostContext& c, const Strategy& s) {
  FullestGpu fullest{.fits = true};
  double most = -1;
  const auto add = [&](const MemoryParts& parts, int type) {
    const Bytes room = c.on(type).gpu.gpu.memory;
    const double full =
        static_cast<double>(parts.total().count()) / static_cast<double>(room.count());
    fullest.fits = fullest.fits && parts.total() <= room;
    if (full <= most) return;
    most = full;
    fullest.memory = parts;
    fullest.type = type;
  };
  const ReplicaClasses classes(c.job.batch, s);
  for (std::size_t k = 0; k < classes.size(); ++k) {
    const PipelineClass& one = classes[k];
    const auto traits = [&](int stage) { return memory_traits(c.on(one.type_of(stage)).gpu); };
    if (one.is_pure()) {
      add(peak_memory(c.job, s, traits(0), one.micro_batches), one.type_of(0));
      continue;
    }
    for (int stage = 0; stage < s.pp; ++stage)
      add(stage_memory(c.job, s, stage, traits(stage), one.micro_batches), one.type_of(stage));
  }
  return fullest;
}

}  // namespace railyard::placement
