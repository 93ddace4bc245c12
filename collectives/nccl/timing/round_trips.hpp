#pragma once

#include "collectives/schedule/group.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/routing/router.hpp"

namespace railyard::collectives::nccl {

/// Distances between the nodes of a group in us, from the latencies of ports, cables and switches.
/// A detour is the latency of one direction beyond half the round trip that FabricTiming's steps
/// include.
struct RoundTrips {
  double longest = 0;         ///< round trip between the two most distant nodes
  double longest_detour = 0;  ///< in one direction between them
  double ring_detour = 0;     ///< sum once around the nodes in order
  double tree_detour = 0;     ///< sum from a leaf of a double binary tree up to its root
};

/// For the nodes of a group in its order; all zero for a single node. `usual`: the round trip that
/// steps include. Nodes without a path between them count as near.
[[nodiscard]] RoundTrips round_trips(const topology::Cluster& cluster, topology::Router& router,
                                     const Group& group, Time usual);

}  // namespace railyard::collectives::nccl
