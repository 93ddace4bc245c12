#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "topology/formats/hostlist.hpp"
#include "topology/formats/slurm_topology.hpp"

namespace railyard::topology {
namespace {

/// Disjoint sets of devices.
class Groups {
 public:
  explicit Groups(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  std::size_t find(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::size_t a, std::size_t b) { parent_[find(a)] = find(b); }

 private:
  std::vector<std::size_t> parent_;
};

/// By node, the number of its group: nodes that reach each other through
/// switches up to a tier.
std::vector<std::size_t> groups_of_nodes(const Cluster& cluster, int up_to_tier) {
  Groups groups(cluster.device_count());
  const auto counts = [&](DeviceId id) {
    const Device& device = cluster.device(id);
    return !is_fabric_switch(device.kind) || tier(device.kind) <= up_to_tier;
  };
  for (const Link& link : cluster.links())
    if (counts(link.from) && counts(link.to)) groups.join(link.from.index(), link.to.index());
  std::map<std::size_t, std::size_t> numbers;
  std::vector<std::size_t> group_of_node;
  for (std::size_t node = 0; node < cluster.node_count(); ++node) {
    const std::size_t root = groups.find(cluster.node(NodeId(node)).first_device.index());
    group_of_node.push_back(numbers.try_emplace(root, numbers.size()).first->second);
  }
  return group_of_node;
}

std::size_t group_count(const std::vector<std::size_t>& groups) {
  return groups.empty() ? 0 : *std::max_element(groups.begin(), groups.end()) + 1;
}

}  // namespace

SwitchTree tree_of_cluster(const Cluster& cluster) {
  constexpr const char* kNames[] = {"leaf", "spine", "core"};
  SwitchTree tree;
  std::vector<std::size_t> below(cluster.node_count());  // of each node: its group one level down
  std::iota(below.begin(), below.end(), std::size_t{0});
  std::vector<std::string> names;  // of the groups one level down; empty: they are nodes
  for (int level = 1; level <= 3; ++level) {
    const std::vector<std::size_t> groups = groups_of_nodes(cluster, level);
    if (!names.empty() && group_count(groups) == names.size()) continue;
    const std::size_t first = tree.switches.size();
    std::vector<std::string> made;
    for (std::size_t group = 0; group < group_count(groups); ++group) {
      made.push_back(fmt::format("{}{}", kNames[level - 1], group));
      tree.switches.push_back({.name = made.back()});
    }
    std::vector<bool> placed(cluster.node_count());  // groups one level down that have a parent
    for (std::size_t node = 0; node < groups.size(); ++node) {
      if (placed[below[node]]) continue;
      placed[below[node]] = true;
      TreeSwitch& parent = tree.switches[first + groups[node]];
      if (names.empty()) {
        parent.hosts.push_back(fmt::format("node{}", node));
      } else {
        parent.switches.push_back(names[below[node]]);
      }
    }
    below = groups;
    names = std::move(made);
  }
  return tree;
}

std::string write_slurm_conf(const SwitchTree& tree) {
  std::string out;
  for (const TreeSwitch& node : tree.switches) {
    out += "SwitchName=" + node.name;
    if (!node.switches.empty()) out += " Switches=" + format_hostlist(node.switches);
    if (!node.hosts.empty()) out += " Nodes=" + format_hostlist(node.hosts);
    out += '\n';
  }
  return out;
}

}  // namespace railyard::topology
