#pragma once

#include <span>
#include <string>
#include <vector>

#include "collectives/nccl/graph/graph.hpp"
#include "topology/node/node_spec.hpp"

namespace railyard::collectives::nccl {

/// The position of a net in the PCIe tree of its node.
struct NetPlace {
  std::size_t cpu = 0;
  std::vector<std::size_t> way;  ///< path from the CPU down to the NIC: index of the child at each
                                 ///< level
  std::size_t net = 0;           ///< index in PcieSpec::nets
};

/// All nets, by number.
[[nodiscard]] std::vector<NetPlace> net_places(const topology::NodeSpec& node);

/// The function at `depth` on the path to a net (1: directly below the CPU).
[[nodiscard]] topology::PcieSpec& function_at(topology::NodeSpec& node, const NetPlace& place,
                                              std::size_t depth);
[[nodiscard]] const topology::PcieSpec& function_at(const topology::NodeSpec& node,
                                                    const NetPlace& place, std::size_t depth);
[[nodiscard]] const topology::NetSpec& net_at(const topology::NodeSpec& node,
                                              const NetPlace& place);

/// The distance between nets (NCCL 2.30.7, src/graph/topo.cc, ncclTopoGetPath) and their lowest
/// common ancestor.
struct NetDistance {
  /// nvl: the same card (it has the number of NCCL's PATH_PORT); pix, pxb, phb, sys; dis: different
  /// hosts.
  PathType type = PathType::dis;
  std::size_t depth = 0;  ///< of the common function; 0: the CPU
};

/// Nets are on one card if they are on one PCIe function, or if the bus ids of their functions
/// (NICs or the switches above them) differ only in the last digit.
[[nodiscard]] NetDistance distance_between(const topology::NodeSpec& node,
                                           std::span<const NetPlace> nets);

}  // namespace railyard::collectives::nccl
