#include "hw/diagnose/cluster_view.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "core/diagnostic.hpp"

namespace railyard::hw {
namespace {

/// The switch to which a NIC is connected; empty if it has no cable.
std::optional<DeviceId> leaf_of(const topology::Cluster& cluster, DeviceId nic) {
  for (const LinkId link : cluster.out_links(nic))
    if (topology::is_fabric_switch(cluster.device(cluster.link(link).to).kind))
      return cluster.link(link).to;
  return std::nullopt;
}

void add_nics(const topology::Cluster& cluster, std::size_t places, ClusterView& view) {
  std::map<int, PlaceSet> by_nic;
  for (std::size_t p = 0; p < places; ++p)
    by_nic[cluster.shape(NodeId(0)).nearest_nic(static_cast<int>(p))] |= PlaceSet{1} << p;
  for (const auto& [nic, set] : by_nic)
    view.groups.push_back({.name = fmt::format("NIC {}", nic), .places = set});
}

void add_leaves(const topology::Cluster& cluster, std::size_t nodes, std::size_t places,
                ClusterView& view) {
  std::map<std::size_t, LeafGroup> leaves;
  for (std::size_t n = 0; n < nodes; ++n) {
    const NodeId node(static_cast<std::uint32_t>(n));
    for (std::size_t p = 0; p < places; ++p) {
      const int nic = cluster.shape(node).nearest_nic(static_cast<int>(p));
      const auto leaf = leaf_of(cluster, cluster.nic(node, nic));
      if (!leaf) continue;
      LeafGroup& group =
          leaves
              .try_emplace(leaf->index(), LeafGroup{.name = cluster.name(*leaf),
                                                    .nodes = std::vector<bool>(nodes),
                                                    .places = 0})
              .first->second;
      group.nodes[n] = true;
      group.places |= PlaceSet{1} << p;
    }
  }
  const PlaceSet all = places == 64 ? kEveryPlace : (PlaceSet{1} << places) - 1;
  for (auto& [leaf, group] : leaves) {
    if (group.places == all) group.places = kEveryPlace;
    view.leaves.push_back(std::move(group));
  }
}

}  // namespace

std::vector<PlaceGroup> assumed_groups(const std::vector<std::string>& places) {
  std::vector<PlaceGroup> groups;
  if (places.size() < 4 || places.size() % 2 != 0 || places.size() > 16) return groups;
  for (const std::size_t size : {std::size_t{2}, places.size() / 2}) {
    if (size == 2 && places.size() == 4 && !groups.empty()) break;
    for (std::size_t first = 0; first < places.size(); first += size) {
      PlaceGroup group;
      for (std::size_t p = first; p < first + size; ++p) group.places |= PlaceSet{1} << p;
      group.name = "GPUs " + place_list(places, group.places);
      groups.push_back(std::move(group));
    }
  }
  return groups;
}

ClusterView cluster_view(const topology::Cluster& cluster, const std::vector<std::string>& nodes,
                         const std::vector<std::string>& places) {
  const auto gpus = static_cast<std::size_t>(cluster.shape(NodeId(0)).gpu_count());
  if (nodes.size() > cluster.node_count())
    throw InputError(
        "", "--cluster",
        fmt::format("has {} nodes, the tests have {}", cluster.node_count(), nodes.size()),
        fmt::format("--nodes {}", nodes.size()));
  if (places.size() > gpus)
    throw InputError("", "--cluster",
                     fmt::format("has {} GPUs per node, but the tests name GPUs on {} PCI buses",
                                 gpus, places.size()),
                     "the cluster that the tests ran on");
  ClusterView view;
  // With fewer places than GPUs it is unknown which GPU a place means.
  if (places.size() != gpus) {
    view.groups = assumed_groups(places);
    return view;
  }
  view.is_known = true;
  add_nics(cluster, places.size(), view);
  add_leaves(cluster, nodes.size(), places.size(), view);
  return view;
}

}  // namespace railyard::hw
