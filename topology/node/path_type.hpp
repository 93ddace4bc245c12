#pragma once

#include <cstdint>
#include <string_view>

namespace railyard::topology {

/// NCCL's path types, best first: within a GPU, direct NVLink, NVLink through another GPU, C2C, one
/// PCIe switch, several PCIe switches, C2C then PCIe, through a peer GPU's NIC, host bridge, across
/// sockets; over the network, or not at all (NCCL 2.30 src/graph/topo.h, PATH_*). Also the levels
/// of NCCL_P2P_LEVEL and NCCL_NET_GDR_LEVEL.
enum class PathType : std::uint8_t { loc, nvl, nvb, c2c, pix, pxb, p2c, pxn, phb, sys, net, dis };

/// NCCL's names: "NVL", "PIX", "SYS".
[[nodiscard]] std::string_view to_text(PathType type);

}  // namespace railyard::topology
