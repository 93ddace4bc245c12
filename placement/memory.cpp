#include "placement/memory.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "placement/activations.hpp"
#include "placement/encoder.hpp"
#include "placement/parameters.hpp"
#include "placement/stages.hpp"
#include "placement/towers.hpp"

namespace railyard::placement {
namespace {

Bytes whole_bytes(double bytes) { return Bytes(std::llround(bytes)); }

/// Parameters of one layer on one rank.
StageParameters layer_share(const Model& model, const Strategy& s, bool with_experts) {
  const LayerParameters p = layer_parameters(model, with_experts);
  return {.dense = static_cast<double>(p.attention + p.cross + p.mlp) / s.tp +
                   static_cast<double>(p.replicated),
          .experts = static_cast<double>(p.experts) / (s.ep * s.etp)};
}

double kept_activations(const Job& job, const Strategy& s, const ChunkLayers& layers) {
  const auto of = [&](Recompute r, bool experts) {
    return static_cast<double>(layer_activations(job, s, r, experts).count());
  };
  const double dense = layers.dense * of(s.recompute, false);
  const double sparse = layers.sparse > 0 ? layers.sparse * of(s.recompute, true) : 0;
  if (s.recompute != Recompute::full || s.recompute_layers == 0) return dense + sparse;
  // Only the first recompute_layers of the stage are recomputed, the others keep everything.
  const double again = std::min(s.recompute_layers, layers.total());
  const bool experts = layers.sparse > 0;
  return again * of(Recompute::full, experts) +
         (layers.total() - again) * of(Recompute::none, experts);
}

/// Of an encoder-decoder: what the encoder's layers on the stage keep, and its output where layers
/// attend to it.
double encoder_kept(const Job& job, const Strategy& s, const StageEnds& ends,
                    const ChunkLayers& layers) {
  const double own = ends.towers > 0 ? ends.towers * encoder_activations(job, s) : 0;
  return own + (layers.total() > 0 ? encoder_output_bytes(job, s) : 0);
}

/// What is in use beside the kept activations: a layer while it is recomputed, the logits of the
/// last stage, two gathered layers with ZeRO 3.
double working_set(const Job& job, const Strategy& s, const ChunkLayers& layers, int stage) {
  double bytes = 0;
  const bool experts = layers.sparse > 0;
  if (s.recompute == Recompute::full)
    bytes += static_cast<double>(layer_activations(job, s, Recompute::none, experts).count());
  if (stage == s.pp - 1) bytes += static_cast<double>(logits(job, s).count());
  if (s.zero == 3 || s.offload_weights) {
    const StageParameters layer = layer_share(job.model, s, experts);
    bytes += 2 * job.element_bytes() * (layer.dense + layer.experts);
  }
  return bytes;
}

}  // namespace

StageParameters stage_parameters(const Job& job, const Strategy& s, int stage) {
  const Model& m = job.model;
  const ChunkLayers layers = stage_layers(m, s, stage);
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
    // A text encoder on stages of its own has a copy of the embedding, on the first.
    const bool copy = reads_text(m) && stage == 0 && !ends.embedding;
    (m.encoder->frozen ? sum.frozen : sum.dense) +=
        ends.towers * static_cast<double>(encoder_parameters(m)) / s.tp + (copy ? table : 0);
  }
  if (ends.embedding)
    sum.dense += table + static_cast<double>(m.hidden) * m.positions +
                 static_cast<double>(relative_parameters(m)) / s.tp;
  // A tied head is a second copy of the embedding, unless both are on one stage.
  if (ends.head && (!ends.embedding || !m.tied_embeddings)) sum.dense += table;
  return sum;
}

MemoryParts stage_memory(const Job& job, const Strategy& s, int stage, Bytes reserved) {
  const StageParameters p = stage_parameters(job, s, stage);
  const ChunkLayers layers = stage_layers(job.model, s, stage);
  const double shards = s.zero > 0 ? s.shards() : 1;
  const double expert_shards =
      s.zero > 0 ? std::max(1.0, std::min<double>(shards, s.expert_replicas())) : 1;
  const auto bytes = [&](double each, bool sharded) {
    return whole_bytes(
        each * (sharded ? p.dense / shards + p.experts / expert_shards : p.dense + p.experts));
  };
  const bool mixed = job.element_bytes() == 2;
  const double pipes =
      s.schedule == PipelineSchedule::dualpipe ? 2 : 1;  // two copies of the stages
  MemoryParts parts;
  parts.weights = bytes(pipes * job.element_bytes(), s.zero >= 3) +
                  whole_bytes(pipes * job.element_bytes() * p.frozen);
  parts.gradients = bytes(pipes * job.gradient_bytes(), s.zero >= 2);
  parts.optimizer = bytes(mixed ? 12 : 8, s.zero >= 1);
  if (s.offload_weights) parts.weights = Bytes();
  if (s.offload_optimizer) parts.optimizer = Bytes();
  const StageEnds ends = stage_ends(job.model, s, stage, s.pp);
  const double towers = ends.towers > 0 ? ends.towers * tower_activations(job, s) : 0;
  const double projector = ends.projector ? projector_activations(job, s) : 0;
  const double encoder = job.model.encoder ? encoder_kept(job, s, ends, layers) : 0;
  const double kept = (kept_activations(job, s, layers) + towers + projector + encoder) *
                      in_flight(job.batch, s, stage);
  // Offloaded activations leave a double buffer of one layer behind.
  parts.activations = s.offload_activations && layers.total() > 0
                          ? whole_bytes(2 * kept_activations(job, s, layers) / layers.total())
                          : whole_bytes(kept);
  parts.buffers = whole_bytes(working_set(job, s, layers, stage));
  parts.reserved = reserved;
  return parts;
}

MemoryParts peak_memory(const Job& job, const Strategy& s, Bytes reserved) {
  MemoryParts most = stage_memory(job, s, 0, reserved);
  const auto take = [&](int stage) {
    const MemoryParts other = stage_memory(job, s, stage, reserved);
    if (other.total() > most.total()) most = other;
  };
  // Of stages with the same layers between the ends the first holds the most: later ones have fewer
  // micro-batches in flight.
  const int units = job.model.layers + (s.even_ends ? 2 : 0);
  const bool alike = units % (s.pp * s.interleave) == 0 && !job.model.moe && s.layers.empty() &&
                     s.tower_stages == 0;
  const int last = s.pp - 1, inner = alike ? std::min(2, last) : last;
  std::array<ChunkLayers, 8> seen{};  // more kinds than that are computed each time
  std::size_t kinds = 0;
  for (int stage = 1; stage < inner; ++stage) {
    const ChunkLayers layers = stage_layers(job.model, s, stage);
    const auto end = seen.begin() + static_cast<std::ptrdiff_t>(kinds);
    if (!job.model.has_front() && std::find(seen.begin(), end, layers) != end) continue;
    if (kinds < seen.size()) seen[kinds++] = layers;
    take(stage);
  }
  if (last > 0) take(last);
  return most;
}

}  // namespace railyard::placement
