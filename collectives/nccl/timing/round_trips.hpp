#pragma once

#include "collectives/schedule/group.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/routing/router.hpp"

namespace railyard::collectives::nccl {

/// Latencies between the nodes of a group in us, from ports, cables and switches. The fitted hop
/// times (FabricTiming::step) include a usual round trip. A detour is the excess of a one-way
/// latency over half of that round trip.
struct RoundTrips {
  double longest = 0;         ///< round trip between the two most distant nodes
  double longest_detour = 0;  ///< one-way excess between these two nodes
  double ring_detour = 0;     ///< total over the hops of a ring through the nodes in order
  double tree_detour = 0;     ///< total from a leaf of a double binary tree to its root
};

/// The latencies for the nodes of a group in its order; all zero for a single node. `usual`: the
/// round trip that hop times include. A pair of nodes without a path counts as near.
[[nodiscard]] RoundTrips round_trips(const topology::Cluster& cluster, topology::Router& router,
                                     const Group& group, Time usual);

}  // namespace railyard::collectives::nccl
