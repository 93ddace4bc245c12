#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "placement/mapping/evaluate.hpp"
#include "placement/mapping/node_kinds.hpp"
#include "placement/mapping/unit_loads.hpp"

namespace railyard::placement {

/// Limits of the local search.
struct ArrangementOptions {
  std::size_t work = 0;  ///< maximum number of visited edges and group members
  std::uint64_t seed = 1;
};

/// The result of the local search.
struct Arrangement {
  Mapping mapping;
  std::size_t tried = 0, kept = 0;  ///< exchanges that were tried, and those that were kept
};

/// Local search over nodes. Ranks that share a node move together. A move exchanges the ranks of
/// two nodes, moves them to a free node, or exchanges runs of 2, 4, 8, ... nodes, and is kept if
/// the busiest trunks get less busy. Moves start at one of the busiest trunks, and most bring a
/// node close to a node that it communicates with. Ranks only go to nodes of the same kind with the
/// same free GPUs. The result is never worse than `mapping`.
[[nodiscard]] Arrangement improve_arrangement(const Tiers& tiers,
                                              std::span<const TrafficPhase> phases,
                                              const EvaluateOptions& evaluate,
                                              const Mapping& mapping, std::span<const Rank> free,
                                              const ArrangementOptions& options);

/// The same for units that are already placed; on return they are on the best nodes found
/// (UnitLoads::nodes). `loads` must be made from `traffic`, and `kinds` from the nodes of `free`.
Arrangement improve_arrangement(const Tiers& tiers, const UnitTraffic& traffic, UnitLoads& loads,
                                const NodeKinds& kinds, std::span<const Rank> free,
                                const ArrangementOptions& options);

}  // namespace railyard::placement
