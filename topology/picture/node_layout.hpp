#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "topology/node/node_paths.hpp"
#include "topology/picture/drawing.hpp"

namespace railyard::topology::picture {

/// The positions of a node's devices, by their number in the NodeShape: CPUs at the top, PCIe
/// switches below them, GPUs and NICs in one row, the NVSwitch at the bottom. Only four CPUs are
/// shown; the others are folded, with all devices below them.
struct NodeLayout {
  std::map<std::uint32_t, Box> devices;
  std::size_t folded_cpus = 0;
  double leaf_y = 0;  ///< top of the row of GPUs and NICs
  double height = 0;
};

[[nodiscard]] NodeLayout lay_out_node(const NodeShape& shape, double top);

}  // namespace railyard::topology::picture
