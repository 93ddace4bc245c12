#include "topology/picture/fabric_outline.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace railyard::topology::picture {

namespace {

constexpr std::size_t kCores = 16, kPods = 3, kSwitchesAlone = 16, kSwitches = 8, kNodesAlone = 4,
                      kNodes = 2;

/// The first `most` items of `all` (or one fewer and the last), and the items in `keep`.
template <class Item>
FoldedRow<Item> fold(const std::vector<Item>& all, std::size_t most, const std::set<Item>& keep,
                     bool with_last = false) {
  FoldedRow<Item> row;
  row.total = all.size();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool at_end = with_last ? i + 1 == all.size() : i + 1 == most;
    const bool visible = all.size() <= most || i + 1 < most || at_end || keep.contains(all[i]);
    if (visible) {
      row.shown.push_back({all[i], 0});
    } else {
      ++row.shown.back().folded_after;
    }
  }
  return row;
}

/// Everything of one pod, before it is folded.
struct PodMembers {
  std::vector<DeviceId> spines, leaves;
  std::vector<NodeId> nodes;
};

/// The first fabric switch to which a node's NICs connect, or none().
DeviceId first_switch(const Cluster& cluster, NodeId node) {
  for (int nic = 0; nic < cluster.shape(node).nic_count(); ++nic) {
    for (const LinkId link : cluster.out_links(cluster.nic(node, nic))) {
      if (cluster.link(link).kind == LinkKind::port) return cluster.link(link).to;
    }
  }
  return DeviceId::none();
}

std::map<std::uint32_t, PodMembers> members_by_pod(const Cluster& cluster) {
  std::map<std::uint32_t, PodMembers> pods;
  for (std::size_t i = 0; i < cluster.device_count(); ++i) {
    const DeviceId id(i);
    const Device& device = cluster.device(id);
    if (device.kind == DeviceKind::leaf) pods[device.pod].leaves.push_back(id);
    if (device.kind == DeviceKind::spine) pods[device.pod].spines.push_back(id);
  }
  for (std::size_t i = 0; i < cluster.node_count(); ++i) {
    const DeviceId leaf = first_switch(cluster, NodeId(i));
    pods[leaf.is_none() ? 0 : cluster.device(leaf).pod].nodes.emplace_back(i);
  }
  return pods;
}

/// Switches and nodes that must be visible.
struct Kept {
  std::set<DeviceId> switches;
  std::set<NodeId> nodes;

  void keep(const Cluster& cluster, DeviceId id) {
    const Device& device = cluster.device(id);
    if (is_fabric_switch(device.kind)) {
      switches.insert(id);
    } else {
      nodes.insert(device.node);
    }
  }
};

bool has_kept(const PodMembers& pod, const Kept& kept) {
  const auto kept_switch = [&](DeviceId id) { return kept.switches.contains(id); };
  return std::any_of(pod.spines.begin(), pod.spines.end(), kept_switch) ||
         std::any_of(pod.leaves.begin(), pod.leaves.end(), kept_switch) ||
         std::any_of(pod.nodes.begin(), pod.nodes.end(),
                     [&](NodeId id) { return kept.nodes.contains(id); });
}

/// The switches of one tier and pod. The same number is shown of each plane.
FoldedRow<DeviceId> fold_planes(const Cluster& cluster, const std::vector<DeviceId>& all,
                                std::size_t most, const std::set<DeviceId>& keep) {
  std::map<std::uint8_t, std::vector<DeviceId>> planes;
  for (const DeviceId id : all) planes[cluster.device(id).plane].push_back(id);
  FoldedRow<DeviceId> row;
  row.total = all.size();
  for (const auto& [plane, switches] : planes) {
    const auto part = fold(switches, most / planes.size(), keep);
    row.shown.insert(row.shown.end(), part.shown.begin(), part.shown.end());
  }
  return row;
}

PodOutline outline_pod(const Cluster& cluster, std::uint32_t number, const PodMembers& pod,
                       bool alone, const Kept& kept) {
  const std::size_t most = alone ? kSwitchesAlone : kSwitches;
  return {number, fold_planes(cluster, pod.spines, most, kept.switches),
          fold_planes(cluster, pod.leaves, most, kept.switches),
          fold(pod.nodes, alone ? kNodesAlone : kNodes, kept.nodes)};
}

/// The cores to show: cores to which visible spines connect, the same number for each spine.
FoldedRow<DeviceId> outline_cores(const Cluster& cluster, const FabricOutline& outline,
                                  std::set<DeviceId> keep) {
  std::vector<DeviceId> cores;
  for (std::size_t i = 0; i < cluster.device_count(); ++i) {
    if (cluster.device(DeviceId(i)).kind == DeviceKind::core) cores.emplace_back(i);
  }
  if (cores.size() <= kCores) return fold(cores, kCores, keep);
  const auto& spines = outline.pods.shown.front().item.spines.shown;
  const std::size_t each =
      std::max<std::size_t>(1, kCores / std::max<std::size_t>(1, spines.size()));
  for (const auto& spine : spines) {
    std::size_t taken = 0;
    for (const LinkId link : cluster.out_links(spine.item)) {
      const DeviceId to = cluster.link(link).to;
      if (cluster.device(to).kind != DeviceKind::core || taken == each) continue;
      taken += keep.insert(to).second ? 1U : 0U;
    }
  }
  return fold(cores, 1, keep);
}

}  // namespace

FabricOutline outline_fabric(const Cluster& cluster, std::span<const std::string> binding) {
  Kept kept;
  for (const std::string& name : binding) {
    const LinkId link = find_link(cluster, name);
    if (link.is_none()) continue;
    kept.keep(cluster, cluster.link(link).from);
    kept.keep(cluster, cluster.link(link).to);
  }
  FabricOutline outline;
  const std::map<std::uint32_t, PodMembers> pods = members_by_pod(cluster);
  std::vector<std::uint32_t> numbers;
  std::set<std::uint32_t> kept_pods;
  for (const auto& [number, pod] : pods) {
    numbers.push_back(number);
    if (has_kept(pod, kept)) kept_pods.insert(number);
    outline.spine_count += pod.spines.size();
    outline.leaf_count += pod.leaves.size();
  }
  const auto folded = fold(numbers, kPods, kept_pods, true);
  outline.pods.total = folded.total;
  for (const auto& entry : folded.shown) {
    const PodOutline pod =
        outline_pod(cluster, entry.item, pods.at(entry.item), numbers.size() == 1, kept);
    outline.pods.shown.push_back({pod, entry.folded_after});
  }
  if (!outline.pods.shown.empty()) outline.cores = outline_cores(cluster, outline, kept.switches);
  return outline;
}

LinkId find_link(const Cluster& cluster, const std::string& name) {
  constexpr std::string_view kArrow = " -> ";
  const std::size_t arrow = name.find(kArrow);
  if (arrow == std::string::npos) return LinkId::none();
  const auto from = cluster.find_device(std::string_view(name).substr(0, arrow));
  const auto to = cluster.find_device(std::string_view(name).substr(arrow + kArrow.size()));
  if (!from || !to) return LinkId::none();
  for (const LinkId link : cluster.out_links(*from)) {
    if (cluster.link(link).to == *to) return link;
  }
  return LinkId::none();
}

std::string tier_of(const Cluster& cluster, const Link& link) {
  if (link.kind != LinkKind::fabric) return std::string(to_text(link.kind));
  const int a = tier(cluster.device(link.from).kind), b = tier(cluster.device(link.to).kind);
  if (std::min(a, b) == 1 && std::max(a, b) == 2) return "leaf-spine";
  if (std::min(a, b) == 2 && std::max(a, b) == 3) return "spine-core";
  return "fabric";
}

}  // namespace railyard::topology::picture
