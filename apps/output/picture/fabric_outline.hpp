#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/id.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::apps {

/// A row of a picture: what is shown in order, and how many alike are folded away after each.
template <class Item>
struct FoldedRow {
  struct Entry {
    Item item;
    std::size_t folded_after = 0;
  };
  std::vector<Entry> shown;
  std::size_t total = 0;
};

/// A pod with its switches and the nodes whose first NIC leads into it.
struct PodOutline {
  std::uint32_t pod = 0;
  FoldedRow<DeviceId> spines;
  FoldedRow<DeviceId> leaves;
  FoldedRow<NodeId> nodes;
};

/// What a picture of a cluster shows: all of a small one; of a large one the first of each row (and
/// the last pod), and whatever must be seen.
struct FabricOutline {
  FoldedRow<DeviceId> cores;
  FoldedRow<PodOutline> pods;
  std::size_t spine_count = 0, leaf_count = 0;
};

/// Chooses what is shown. The ends of the links named in `binding` are always among it (names that
/// are no link of the cluster are left aside).
[[nodiscard]] FabricOutline outline_fabric(const topology::Cluster& cluster,
                                           std::span<const std::string> binding);

/// The link of that name ("A -> B", the first of parallel ones), or none().
[[nodiscard]] LinkId find_link(const topology::Cluster& cluster, const std::string& name);

/// "port", "leaf-spine", "spine-core" ("fabric" for other pairs of switches), "nvlink", "pcie", ...
[[nodiscard]] std::string tier_of(const topology::Cluster& cluster, const topology::Link& link);

}  // namespace railyard::apps
