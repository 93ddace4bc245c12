#pragma once

#include <vector>

#include "placement/cost/step.hpp"

namespace railyard::placement {

/// A collective of a pass, or of the replicas of a stage: how often, and computation that runs
/// beside all of them together (of a pass).
struct PassCollective {
  GroupCollective what{};
  int count = 1;
  Time window{};
};

/// The collectives of a part of the model, in the order in which its cost asks for them.
struct PassCollectives {
  std::vector<PassCollective> forward{}, backward{}, recompute{};
};

/// Of the parts of Blocks.
struct BlockCollectives {
  PassCollectives dense{}, sparse{}, embedding{}, head{}, tower{}, projector{};
};

/// Which collectives block_costs() counts, and where. They are found by their effect: block_costs()
/// is asked with one collective at a time taking 1,000 and 2,000 s and all others none; the slope
/// of a pass is their number, and what it falls short of that the computation beside them.
[[nodiscard]] BlockCollectives block_collectives(const TypeContext& context,
                                                 const Strategy& strategy,
                                                 const GroupShapes& shapes);

/// Of ReplicaWork, found likewise.
struct ReplicaCollectives {
  std::vector<PassCollective> gather{}, reduce{}, copies{}, tied{};
};
[[nodiscard]] ReplicaCollectives replica_collectives(const TypeContext& context,
                                                     const Strategy& strategy,
                                                     const GroupShapes& shapes, int stage);

}  // namespace railyard::placement
