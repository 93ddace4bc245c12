#include "placement/stages.hpp"

#include <algorithm>
#include <cstdint>

namespace railyard::placement {
namespace {

/// First layer of a chunk.
int first_layer(const Model& model, const Strategy& s, int chunk) {
  const int chunks = s.pp * s.interleave;
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
