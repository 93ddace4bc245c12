#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "placement/mapping/composition.hpp"
#include "placement/mapping/routed_score.hpp"
#include "topology/routing/leaf_router.hpp"

namespace railyard::placement {

/// What local search against collisions may use.
struct CollisionOptions {
  std::size_t routes = 0;  ///< ways to find at most
  std::uint64_t seed = 1;
  bool pxn = true;
};

/// Exchanges nodes below the same leaves, which is all the same to every count but not to a hash:
/// the units on a link that is busiest change places while that makes the step shorter, or links as
/// busy as that fewer. Returns the node of each unit. `router` must not choose by what was routed
/// before; `bounds` by phase are those of the composition on these nodes.
[[nodiscard]] std::vector<std::uint32_t> spread_collisions(
    const Tiers& tiers, std::span<const TrafficPhase> phases, topology::LeafRouter& router,
    const Composition& parts, std::span<const std::uint32_t> nodes,
    std::span<const RoutedBound> bounds, const CollisionOptions& options);

}  // namespace railyard::placement
