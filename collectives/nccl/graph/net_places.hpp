#pragma once

#include <span>
#include <string>
#include <vector>

#include "collectives/nccl/graph/graph.hpp"
#include "topology/node/node_spec.hpp"

namespace railyard::collectives::nccl {

/// Where a net is in the PCIe tree of its node.
struct NetPlace {
  std::size_t cpu = 0;
  std::vector<std::size_t> way;  ///< indices of children from the CPU down to the NIC
  std::size_t net = 0;           ///< index in PcieSpec::nets
};

/// All nets, by number.
[[nodiscard]] std::vector<NetPlace> net_places(const topology::NodeSpec& node);

/// The function `depth` steps down the way (1: right below the CPU).
[[nodiscard]] topology::PcieSpec& function_at(topology::NodeSpec& node, const NetPlace& place,
                                              std::size_t depth);
[[nodiscard]] const topology::PcieSpec& function_at(const topology::NodeSpec& node,
                                                    const NetPlace& place, std::size_t depth);
[[nodiscard]] const topology::NetSpec& net_at(const topology::NodeSpec& node,
                                              const NetPlace& place);

/// How far nets are from each other in NCCL's sense (2.30.7, src/graph/topo.cc, ncclTopoGetPath),
/// and what they share.
struct NetDistance {
  /// `nvl` for one card (NCCL's PATH_PORT has its number), pix, pxb, phb, sys; dis: other hosts.
  PathType type = PathType::dis;
  std::size_t depth = 0;  ///< of the function that they share: 0 is the CPU
};

/// One card: one PCIe function, or functions (of NICs or of the switches above) whose bus ids
/// differ in the last digit alone.
[[nodiscard]] NetDistance distance_between(const topology::NodeSpec& node,
                                           std::span<const NetPlace> nets);

}  // namespace railyard::collectives::nccl
