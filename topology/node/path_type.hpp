#pragma once

#include <cstdint>
#include <string_view>

namespace railyard::topology {

/// NCCL's path types, best first (NCCL 2.30 src/graph/topo.h, PATH_*). In order: same GPU (loc),
/// direct NVLink (nvl), NVLink through another GPU (nvb), C2C (c2c), one PCIe switch (pix), several
/// PCIe switches (pxb), C2C and then PCIe (p2c), NIC of a peer GPU (pxn), PCIe host bridge (phb),
/// link between CPU sockets (sys), network (net), no path (dis). These are also the levels of
/// NCCL_P2P_LEVEL and NCCL_NET_GDR_LEVEL.
enum class PathType : std::uint8_t { loc, nvl, nvb, c2c, pix, pxb, p2c, pxn, phb, sys, net, dis };

/// NCCL's name of a path type: "NVL", "PIX", "SYS".
[[nodiscard]] std::string_view to_text(PathType type);

}  // namespace railyard::topology
