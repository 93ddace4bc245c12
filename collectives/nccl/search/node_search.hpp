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

/// Searches the rings, trees, CollNet and NVLS graphs of one node in a communicator with `nodes`
/// nodes. Throws InputError if there are several nodes and a GPU reaches no NIC.
[[nodiscard]] SearchedNode search_node(System system, int nodes,
                                       const SearchEnvironment& environment);

/// Combines searched nodes into a communicator. `kinds` are the different nodes, beginning with
/// that of rank 0. `ranks` and `nodes` are the totals of the communicator.
[[nodiscard]] Communicator join_nodes(std::span<const SearchedNode* const> kinds, int ranks,
                                      int nodes, const SearchEnvironment& environment);

}  // namespace railyard::collectives::nccl
