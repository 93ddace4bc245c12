#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "placement/mapping/evaluate.hpp"
#include "placement/mapping/node_kinds.hpp"
#include "placement/mapping/unit_loads.hpp"

namespace railyard::placement {

/// How far local search goes.
struct ArrangementOptions {
  std::size_t work = 0;  ///< edges and group members to visit at most
  std::uint64_t seed = 1;
};

/// What local search found.
struct Arrangement {
  Mapping mapping;
  std::size_t tried = 0, kept = 0;  ///< exchanges of places
};

/// Lets ranks that share a node move together: exchanges the places of two nodes' ranks, moves them
/// to a free node, or exchanges runs of 2, 4, 8, ... nodes, keeping what makes the busiest trunks
/// less busy. Moves start at a busiest trunk and mostly bring a node to where one sits that it
/// talks to. Ranks go only to nodes of the same kind where the same GPUs are free. Never worse
/// than `mapping`.
[[nodiscard]] Arrangement improve_arrangement(const Tiers& tiers,
                                              std::span<const TrafficPhase> phases,
                                              const EvaluateOptions& evaluate,
                                              const Mapping& mapping, std::span<const Rank> free,
                                              const ArrangementOptions& options);

/// The same for units that are placed already: they are left on the best nodes that were found
/// (UnitLoads::nodes). `traffic` is what `loads` were made of; `kinds` of the nodes of `free`.
Arrangement improve_arrangement(const Tiers& tiers, const UnitTraffic& traffic, UnitLoads& loads,
                                const NodeKinds& kinds, std::span<const Rank> free,
                                const ArrangementOptions& options);

}  // namespace railyard::placement
