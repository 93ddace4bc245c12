#pragma once

#include "placement/model/job.hpp"
#include "placement/strategy/strategy.hpp"

namespace railyard::placement {

/// Layers of one chunk (the part of a stage between two sends): dense layers, and layers with
/// experts.
struct ChunkLayers {
  int dense = 0;
  int sparse = 0;
  int edge_dense = 0, edge_sparse = 0;  ///< of them at the edges of the network (a job's rules)
  [[nodiscard]] int total() const { return dense + sparse; }
  bool operator==(const ChunkLayers&) const = default;
};

/// Layers of chunk `chunk` of pp x interleave, in the order of the network. If the strategy gives
/// layers, those; otherwise, without the tower stages, chunk c of C has the layers from
/// round(c·U/C) to round((c+1)·U/C) of U layers. With even_ends U includes the embedding in front
/// and the head behind, which are not layers of the first and last chunk.
[[nodiscard]] ChunkLayers chunk_layers(const Model& model, const Strategy& strategy, int chunk);
/// The same with the layers at the edges, if the job has rules for them.
[[nodiscard]] ChunkLayers chunk_layers(const Job& job, const Strategy& strategy, int chunk);

/// The parts of a chunk or stage other than layers.
struct StageEnds {
  bool embedding = false, head = false, projector = false;
  double towers = 0;  ///< share of the towers' layers, or of the encoder's
};

/// The ends of chunk or stage `part` of `parts`. The embedding is on the first one that is not a
/// tower stage. The towers (or the encoder) are spread evenly over the tower stages, with the
/// projectors on the last of them; without tower stages all are with the embedding.
[[nodiscard]] StageEnds stage_ends(const Model& model, const Strategy& strategy, int part,
                                   int parts);

/// Layers of pipeline rank `stage`: those of its chunks stage, stage + pp, ...
[[nodiscard]] ChunkLayers stage_layers(const Model& model, const Strategy& strategy, int stage);
[[nodiscard]] ChunkLayers stage_layers(const Job& job, const Strategy& strategy, int stage);

}  // namespace railyard::placement
