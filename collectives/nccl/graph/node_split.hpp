#pragma once

#include <vector>

#include "collectives/nccl/graph/system_graph.hpp"
#include "collectives/nccl/tuning/environment.hpp"

namespace railyard::collectives::nccl {

/// Part of a node that NCCL takes for a node of its own.
struct NodePart {
  System system;
  std::vector<int> ranks;  ///< within the whole node, by rank within the part
};

/// A node's GPUs by who reaches whom without the network (ncclTopoTrimSystem): a GPU joins the
/// first of those before it in the PCIe tree that it reaches. Each part keeps all NICs. By least
/// rank; one part almost always.
[[nodiscard]] std::vector<NodePart> split_node(System system, const SearchEnvironment& environment);

}  // namespace railyard::collectives::nccl
