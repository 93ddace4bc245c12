#pragma once

#include <map>
#include <string>
#include <vector>

#include "topology/picture/drawing.hpp"
#include "topology/picture/fabric_outline.hpp"

namespace railyard::topology::picture {

/// A mark for folded items: "⋯" and the number of items.
struct Ellipsis {
  double x = 0, y = 0;
  std::string text;
};

/// The name of a tier and its number of switches, at the left margin.
struct TierName {
  double y = 0;
  std::string name, count;
};

/// The box of a node, and how many of its NICs and GPUs are drawn inside.
struct NodeBox {
  NodeId node;
  Box box;
  int nics = 0, gpus = 0;
  bool nvlink_bar = false;
};

/// A frame around a pod.
struct PodFrame {
  Box box;
  std::string label;
};

/// The positions of all parts of a fabric picture.
struct FabricLayout {
  std::map<DeviceId, Box> devices;  ///< switches, NICs, GPUs, NVSwitches
  std::vector<NodeBox> nodes;
  std::vector<PodFrame> pods;
  std::vector<Ellipsis> ellipses;
  std::vector<TierName> tiers;
  double height = 0;
};

[[nodiscard]] FabricLayout lay_out_fabric(const Cluster& cluster, const FabricOutline& outline);

}  // namespace railyard::topology::picture
