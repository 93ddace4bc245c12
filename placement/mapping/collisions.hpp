#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "placement/mapping/composition.hpp"
#include "placement/mapping/routed_score.hpp"
#include "topology/routing/leaf_router.hpp"

namespace railyard::placement {

/// Limits of the local search against hash collisions.
struct CollisionOptions {
  std::size_t routes = 0;  ///< maximum number of routed paths
  std::uint64_t seed = 1;
  bool pxn = true;
};

/// Exchanges nodes below the same leaves. This changes no bytes per trunk, but it changes the
/// hashes and therefore the collisions. Units on one of the busiest links are exchanged if that
/// shortens the step, or reduces the number of equally busy links. Returns the node of each unit.
/// The paths of `router` must not depend on flows routed before; `bounds`, by phase, are those of
/// the composition on these nodes.
[[nodiscard]] std::vector<std::uint32_t> spread_collisions(
    const Tiers& tiers, std::span<const TrafficPhase> phases, topology::LeafRouter& router,
    const Composition& parts, std::span<const std::uint32_t> nodes,
    std::span<const RoutedBound> bounds, const CollisionOptions& options);

}  // namespace railyard::placement
