#pragma once

#include <span>
#include <vector>

#include "collectives/nccl/graph/fused_net.hpp"
#include "collectives/nccl/tuning/environment.hpp"
#include "topology/node/node_spec.hpp"

namespace railyard::collectives::nccl {

/// Which nets of a node NCCL fuses (2.30.7, src/graph/topo.cc, ncclTopoMakeVNics): those that
/// NCCL_NET_FORCE_MERGE names, then each with all that are at most NCCL_NET_MERGE_LEVEL away, in
/// order of their numbers, up to 8 (2.28: 4). Sockets and EFA have no fusion. Throws InputError
/// where NCCL_NET_FORCE_MERGE names what the node does not have or cannot fuse, and where NICs of
/// two NUMA domains would be fused.
[[nodiscard]] std::vector<FusedNet> nets_to_fuse(const topology::NodeSpec& node,
                                                 const SearchEnvironment& environment);

/// The node with these NICs fused. Ports of one PCIe function stay on it; ports of several
/// functions move to one like the first of them, below the switch or CPU that they share. It is as
/// wide as they together where they are farther apart than one card (2.28 widens all links on the
/// way, too).
[[nodiscard]] topology::NodeSpec fuse_nets(const topology::NodeSpec& node,
                                           std::span<const FusedNet> fused, Version version);

}  // namespace railyard::collectives::nccl
