#pragma once

#include "collectives/schedule/group.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/routing/router.hpp"

namespace railyard::collectives::nccl {

/// How far apart the nodes of a group are, in us of the latencies of ports, cables and switches.
/// A detour is what one way takes beyond half the round trip that FabricTiming's steps hold.
struct RoundTrips {
  double longest = 0;         ///< there and back between the two nodes farthest apart
  double longest_detour = 0;  ///< of one way between them
  double ring_detour = 0;     ///< of all ways once around the nodes in order
  double tree_detour = 0;     ///< of the ways from a leaf of a double binary tree up to its root
};

/// Of the nodes of a group in its order; all zero for a single node. `usual`: the round trip that
/// steps hold. Nodes between which there is no way count as near.
[[nodiscard]] RoundTrips round_trips(const topology::Cluster& cluster, topology::Router& router,
                                     const Group& group, Time usual);

}  // namespace railyard::collectives::nccl
