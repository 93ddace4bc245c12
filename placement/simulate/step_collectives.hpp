#pragma once

#include <vector>

#include "placement/cost/step.hpp"

namespace railyard::placement {

/// A collective of a pass, or over a stage's replicas. `window`: the computation that overlaps with
/// all `count` of them together (only in passes).
struct PassCollective {
  GroupCollective what{};
  int count = 1;
  Time window{};
};

/// The collectives of a part of the model, in the order in which its cost function requests them.
struct PassCollectives {
  std::vector<PassCollective> forward{}, backward{}, recompute{};
};

/// PassCollectives for each part in BlockCosts.
struct BlockCollectives {
  PassCollectives dense{}, sparse{}, embedding{}, head{}, tower{}, projector{};
};

/// The collectives that block_costs() includes, by part and pass. They are found by probing:
/// block_costs() runs with one collective at a time taking 1,000 s and 2,000 s and all others 0.
/// The slope of a pass's time gives the number of collectives; the amount by which the time stays
/// below slope · 1,000 s is the computation with which they overlap.
[[nodiscard]] BlockCollectives block_collectives(const TypeContext& context,
                                                 const Strategy& strategy,
                                                 const GroupShapes& shapes);

/// The collectives that ReplicaWork includes, found in the same way.
struct ReplicaCollectives {
  std::vector<PassCollective> gather{}, reduce{}, copies{}, tied{};
};
[[nodiscard]] ReplicaCollectives replica_collectives(const TypeContext& context,
                                                     const Strategy& strategy,
                                                     const GroupShapes& shapes, int stage);

}  // namespace railyard::placement
