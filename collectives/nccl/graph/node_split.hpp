#pragma once

#include <vector>

#include "collectives/nccl/graph/paths.hpp"
#include "collectives/nccl/tuning/environment.hpp"

namespace railyard::collectives::nccl {

/// Part of a node that NCCL takes for a node of its own.
struct NodePart {
  System system;
  std::vector<int> ranks;  ///< within the whole node, by rank within the part
};

/// True where a GPU (by index) reaches NICs below its PCIe switches, and another one its own,
/// faster than they reach each other: then NCCL sends over the network between them (2.30.7,
/// src/graph/paths.cc, ncclTopoCheckNet), unless NCCL_NET_DISABLE_INTRA=1. Asks for the bare paths
/// between GPUs and NICs, and for those between GPUs as they are used.
[[nodiscard]] bool prefers_network(const System& system, const Paths& paths,
                                   const SearchEnvironment& environment, int from, int to);

/// A node's GPUs by who reaches whom without the network (ncclTopoTrimSystem): a GPU joins the
/// first of those before it in the PCIe tree that it reaches. Each part keeps all NICs. By least
/// rank; one part almost always.
[[nodiscard]] std::vector<NodePart> split_node(System system, const SearchEnvironment& environment);

}  // namespace railyard::collectives::nccl
