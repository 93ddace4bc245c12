#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/id.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::topology::picture {

/// A row of a picture: the items that are drawn, and the number of similar items that are folded
/// after each.
template <class Item>
struct FoldedRow {
  struct Entry {
    Item item;
    std::size_t folded_after = 0;
  };
  std::vector<Entry> shown;
  std::size_t total = 0;
};

/// A pod: its switches, and the nodes whose first NIC connects to it.
struct PodOutline {
  std::uint32_t pod = 0;
  FoldedRow<DeviceId> spines;
  FoldedRow<DeviceId> leaves;
  FoldedRow<NodeId> nodes;
};

/// The parts of a cluster that a picture shows. A small cluster is shown completely. Of a large one
/// it shows the first items of each row, the last pod, and the ends of binding links.
struct FabricOutline {
  FoldedRow<DeviceId> cores;
  FoldedRow<PodOutline> pods;
  std::size_t spine_count = 0, leaf_count = 0;
};

/// Chooses what the picture shows. The ends of the links in `binding` are always shown; names that
/// are not links of the cluster are ignored.
[[nodiscard]] FabricOutline outline_fabric(const Cluster& cluster,
                                           std::span<const std::string> binding);

/// The link with this name ("A -> B"; the first of parallel links), or none().
[[nodiscard]] LinkId find_link(const Cluster& cluster, const std::string& name);

/// "port", "leaf-spine", "spine-core" ("fabric" for other pairs of switches), "nvlink", "pcie", ...
[[nodiscard]] std::string tier_of(const Cluster& cluster, const Link& link);

}  // namespace railyard::topology::picture
