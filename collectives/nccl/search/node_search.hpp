#pragma once

#include <span>
#include <vector>

#include "collectives/nccl/graph/paths.hpp"
#include "collectives/nccl/search/relaxation.hpp"
#include "collectives/nccl/tuning/environment.hpp"

namespace railyard::collectives::nccl {

/// A node with its paths and the graphs that NCCL finds on it.
struct SearchedNode {
  System system;
  Paths paths;
  bool inter = false;  ///< the communicator has other nodes
  Graphs graphs{};
  BandwidthBounds bounds{};
};

/// Rings, trees, CollNet and NVLS of one node of a communicator of `nodes`. Throws InputError if
/// there are several nodes and a GPU reaches no NIC.
[[nodiscard]] SearchedNode search_node(System system, int nodes,
                                       const SearchEnvironment& environment);

/// Makes the communicator. `kinds` are its different nodes, the first of which is that of rank 0;
/// `ranks` and `nodes` are the totals.
[[nodiscard]] Communicator join_nodes(std::span<const SearchedNode* const> kinds, int ranks,
                                      int nodes, const SearchEnvironment& environment);

}  // namespace railyard::collectives::nccl
