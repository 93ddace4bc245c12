#pragma once

#include <span>

#include "collectives/nccl/graph/net_places.hpp"

namespace railyard::collectives::nccl {

/// Inserts the virtual NIC of these nets into the PCIe tree and sets the width of the links to it
/// (NCCL 2.30.7, src/graph/topo.cc, ncclTopoGetVNicParent; 2.28.9 with ncclTopoWidenLinks).
void place_virtual_net(topology::NodeSpec& node, std::span<const NetPlace> members,
                       topology::NetSpec net, Version version);

}  // namespace railyard::collectives::nccl
