#pragma once

#include <span>

#include "collectives/nccl/graph/system_graph.hpp"
#include "topology/node/node_spec.hpp"

namespace railyard::collectives::nccl {

struct SearchEnvironment;

/// The system of a node, or of the listed GPUs of it (numbers in the node, in rank order). Throws
/// InputError if a GPU is listed twice or does not exist. check_node() must find no problem in
/// `node`.
[[nodiscard]] System make_system(const topology::NodeSpec& node);
[[nodiscard]] System make_system(const topology::NodeSpec& node, std::span<const int> gpus);
/// The same after NCCL's NIC fusion (net_fusion.hpp).
[[nodiscard]] System make_system(const topology::NodeSpec& node, std::span<const int> gpus,
                                 const SearchEnvironment& environment);

}  // namespace railyard::collectives::nccl
