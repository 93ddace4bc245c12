#pragma once

#include <span>

#include "collectives/nccl/graph/system_graph.hpp"
#include "topology/node/node_spec.hpp"

namespace railyard::collectives::nccl {

struct SearchEnvironment;

/// The system of a node, or of those of its GPUs that are listed (their numbers in the node, in
/// rank order). Throws InputError where the list names a GPU twice or one that the node does not
/// have. The spec is one that check_node finds nothing wrong with.
[[nodiscard]] System make_system(const topology::NodeSpec& node);
[[nodiscard]] System make_system(const topology::NodeSpec& node, std::span<const int> gpus);
/// The same after NCCL's NIC fusion (net_fusion.hpp).
[[nodiscard]] System make_system(const topology::NodeSpec& node, std::span<const int> gpus,
                                 const SearchEnvironment& environment);

}  // namespace railyard::collectives::nccl
