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

/// Sum of `of(chunk)` over the chunks of a stage.
template <class Of>
ChunkLayers summed(const Of& of, const Strategy& strategy, int stage) {
  ChunkLayers sum;
  for (int v = 0; v < strategy.interleave; ++v) {
    const ChunkLayers chunk = chunk_layers(of, strategy, stage + v * strategy.pp);
    sum.dense += chunk.dense;
    sum.sparse += chunk.sparse;
    sum.edge_dense += chunk.edge_dense;
    sum.edge_sparse += chunk.edge_sparse;
  }
  return sum;
}

}  // namespace

ChunkLayers chunk_layers(const Model& model, const Strategy& strategy, int chunk) {
  const int begin = first_layer(model, strategy, chunk);
  const int end = first_layer(model, strategy, chunk + 1);
  const int dense_layers = model.moe ? model.moe->dense_layers : model.layers;
  const int dense = std::clamp(dense_layers, begin, end) - begin;
  return {.dense = dense, .sparse = end - begin - dense};
}

ChunkLayers chunk_layers(const Job& job, const Strategy& strategy, int chunk) {
  ChunkLayers layers = chunk_layers(job.model, strategy, chunk);
  if (!job.has_edges()) return layers;
  const int begin = first_layer(job.model, strategy, chunk), end = begin + layers.total();
  const int dense = begin + layers.dense, last = job.model.layers - job.last_layers;
  // Number of layers in [from, to) that are edge layers.
  const auto edges = [&](int from, int to) {
    const int inner = std::clamp(to, job.first_layers, std::max(last, job.first_layers)) -
                      std::clamp(from, job.first_layers, std::max(last, job.first_layers));
    return to - from - inner;
  };
  layers.edge_dense = edges(begin, dense);
  layers.edge_sparse = edges(dense, end);
  return layers;
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
  return summed(model, strategy, stage);
}

ChunkLayers stage_layers(const Job& job, const Strategy& strategy, int stage) {
  return summed(job, strategy, stage);
}

}  // namespace railyard::placement
