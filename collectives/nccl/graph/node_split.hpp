#pragma once

#include <vector>

#include "collectives/nccl/graph/system_graph.hpp"
#include "collectives/nccl/tuning/environment.hpp"

namespace railyard::collectives::nccl {

/// A part of a node that NCCL treats as a separate node.
struct NodePart {
  System system;
  std::vector<int> ranks;  ///< ranks within the whole node, by rank within the part
};

/// Splits a node into parts whose GPUs reach each other without the network (NCCL's
/// ncclTopoTrimSystem). Each GPU joins the part of the first earlier GPU, in the order of the PCIe
/// tree, that it reaches. Each part keeps all NICs. Parts are ordered by their lowest rank. Usually
/// there is only one part.
[[nodiscard]] std::vector<NodePart> split_node(System system, const SearchEnvironment& environment);

}  // namespace railyard::collectives::nccl
