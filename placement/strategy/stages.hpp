#pragma once

#include "placement/model/job.hpp"
#include "placement/strategy/strategy.hpp"

namespace railyard::placement {

/// Layers of one chunk (the part of a stage between two sends): dense ones and ones with experts.
struct ChunkLayers {
  int dense = 0;
  int sparse = 0;
  int edge_dense = 0, edge_sparse = 0;  ///< of those, at the edges of the network (a job's rules)
  [[nodiscard]] int total() const { return dense + sparse; }
  bool operator==(const ChunkLayers&) const = default;
};

/// Layers of chunk `chunk` of pp x interleave, in the order of the network: those that the strategy
/// gives (layers), or, tower stages left out, chunk c has the layers from round(c·U/C) to
/// round((c+1)·U/C) of U = layers, to which even_ends adds the embedding in front and the head
/// behind as layers that the first and last chunk do not hold.
[[nodiscard]] ChunkLayers chunk_layers(const Model& model, const Strategy& strategy, int chunk);
/// With those at the edges, where the job has such.
[[nodiscard]] ChunkLayers chunk_layers(const Job& job, const Strategy& strategy, int chunk);

/// What a chunk or a stage holds beside layers.
struct StageEnds {
  bool embedding = false, head = false, projector = false;
  double towers = 0;  ///< share of the towers' layers, or of the encoder's
};

/// Of chunk or stage `part` of `parts`. The embedding is on the first that has no tower stage's
/// share; the towers (or the encoder) are dealt evenly over the tower stages, the projectors on the
/// last of them, or all with the embedding where there are no tower stages.
[[nodiscard]] StageEnds stage_ends(const Model& model, const Strategy& strategy, int part,
                                   int parts);

/// Layers of pipeline rank `stage`: of its chunks stage, stage + pp, ...
[[nodiscard]] ChunkLayers stage_layers(const Model& model, const Strategy& strategy, int stage);
[[nodiscard]] ChunkLayers stage_layers(const Job& job, const Strategy& strategy, int stage);

}  // namespace railyard::placement
