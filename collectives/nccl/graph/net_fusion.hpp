#pragma once

#include <span>
#include <vector>

#include "collectives/nccl/graph/fused_net.hpp"
#include "collectives/nccl/tuning/environment.hpp"
#include "topology/node/node_spec.hpp"

namespace railyard::collectives::nccl {

/// The NIC fusion of a node (2.30.7, src/graph/topo.cc, ncclTopoMakeVNics): the nets of
/// NCCL_NET_FORCE_MERGE, then each net with all nets within NCCL_NET_MERGE_LEVEL, in order of
/// number, at most 8 together (2.28: 4). Sockets and EFA do not support fusion. Throws InputError
/// if NCCL_NET_FORCE_MERGE contains unknown nets or nets that cannot be fused, or if NICs of two
/// NUMA domains would be fused.
[[nodiscard]] std::vector<FusedNet> nets_to_fuse(const topology::NodeSpec& node,
                                                 const SearchEnvironment& environment);

/// The node with these NICs fused. Ports of one PCIe function stay on it. Ports of several
/// functions move to a copy of the first function, below their common switch or CPU. Its link has
/// their total width if they are on different cards (2.28 also widens all links on the path).
[[nodiscard]] topology::NodeSpec fuse_nets(const topology::NodeSpec& node,
                                           std::span<const FusedNet> fused, Version version);

}  // namespace railyard::collectives::nccl
