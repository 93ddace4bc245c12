#include "placement/strategy/stages.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace railyard::placement {
namespace {

/// First layer of a chunk.
int first_layer(const Model& model, const Strategy& s, int chunk) {
  if (!s.layers.empty()) {
    const auto count = std::min(static_cast<std::size_t>(chunk), s.layers.size());
    const int before =
        std::accumulate(s.layers.begin(), s.layers.begin() + static_cast<std::ptrdiff_t>(count), 0);
    return std::min(before, model.layers);
  }
  if (chunk <= s.tower_stages) return 0;
  const int chunks = s.pp * s.interleave - s.tower_stages;
  chunk -= s.tower_stages;
  const int units = model.layers + (s.even_ends ? 2 : 0);
  // round(chunk * units / chunks) in integers, half up.
  const auto unit = static_cast<int>((2LL * chunk * units + chunks) / (2LL * chunks));
  return std::clamp(unit - (s.even_ends ? 1 : 0), 0, model.layers);
}

}  // namespace

ChunkLayers chunk_layers(const Model& model, const Strategy& strategy, int chunk) {
  const int begin = first_layer(model, strategy, chunk);
  const int end = first_layer(model, strategy, chunk + 1);
  const int dense_layers = model.moe ? model.moe->dense_layers : model.layers;
  const int dense = std::clamp(dense_layers, begin, end) - begin;
  return {.dense = dense, .sparse = end - begin - dense};
}

StageEnds stage_ends(const Model& model, const Strategy& s, int part, int parts) {
  StageEnds ends{.embedding = part == s.tower_stages, .head = part == parts - 1};
  if (!model.has_front()) return ends;
  if (s.tower_stages == 0) {
    ends.towers = part == 0 ? 1 : 0;
    ends.projector = part == 0;
  } else if (part < s.tower_stages) {
    ends.towers = 1.0 / s.tower_stages;
    ends.projector = part == s.tower_stages - 1;
  }
  return ends;
}

ChunkLayers stage_layers(const Model& model, const Strategy& strategy, int stage) {
  ChunkLayers sum;
  for (int v = 0; v < strategy.interleave; ++v) {
    const ChunkLayers chunk = chunk_layers(model, strategy, stage + v * strategy.pp);
    sum.dense += chunk.dense;
    sum.sparse += chunk.sparse;
  }
  return sum;
}

}  // namespace railyard::placement
