#include "topology/formats/switch_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "topology/formats/hostlist.hpp"

namespace railyard::topology {
namespace {

constexpr int kTiers = 3;  // leaf, spine, core: DeviceKind
// Fabrics have fewer levels of switches than this. A switch whose level is not known after this
// many passes is part of a cycle, or above one.
constexpr int kMaxLevels = 16;

/// The level of each switch: 1 for switches above hosts. 0 for switches in or above a cycle.
class Levels {
 public:
  explicit Levels(const SwitchTree& tree) {
    for (std::size_t i = 0; i < tree.switches.size(); ++i)
      index_.try_emplace(tree.switches[i].name, i);
    levels_.assign(tree.switches.size(), 0);
    // Bottom-up: each pass sets the level of switches whose children all have one.
    for (int pass = 0; pass < kMaxLevels; ++pass) {
      for (std::size_t i = 0; i < levels_.size(); ++i) {
        if (levels_[i] > 0) continue;
        const int below = level_below(tree.switches[i]);
        if (below < 0) continue;
        levels_[i] = below + 1;
      }
    }
  }

  [[nodiscard]] int at(std::size_t i) const { return levels_[i]; }
  [[nodiscard]] const std::map<std::string, std::size_t>& index() const { return index_; }

 private:
  /// The highest level of the children; 0 without children; -1 if the level of a child is unknown.
  int level_below(const TreeSwitch& node) const {
    int below = 0;
    for (const std::string& child : node.switches) {
      const auto found = index_.find(child);
      if (found == index_.end()) continue;
      if (levels_[found->second] == 0) return -1;
      below = std::max(below, levels_[found->second]);
    }
    return below;
  }

  std::map<std::string, std::size_t> index_;
  std::vector<int> levels_;
};

}  // namespace

std::vector<std::string> SwitchTree::hosts() const {
  std::vector<std::string> all;
  for (const TreeSwitch& node : switches)
    all.insert(all.end(), node.hosts.begin(), node.hosts.end());
  return all;
}

void check_tree(const SwitchTree& tree, Diagnostics& problems) {
  const Levels levels(tree);
  std::set<std::string> names;
  std::map<std::string, std::string> parents, places;
  for (std::size_t i = 0; i < tree.switches.size(); ++i) {
    const TreeSwitch& node = tree.switches[i];
    if (!is_host_name(node.name))
      problems.add(node.where, "a switch's name is empty or has a blank or one of []=#,\"' in it",
                   "letters, digits, '-', '_' and '.', such as leaf-12");
    if (!names.insert(node.name).second)
      problems.add(node.where, fmt::format("switch {} is listed twice", node.name));
    if (node.hosts.empty() && node.switches.empty())
      problems.add(node.where, fmt::format("switch {} has nothing connected below it", node.name));
    if (!node.hosts.empty() && !node.switches.empty())
      problems.add(node.where, fmt::format("switch {} has both nodes and switches", node.name),
                   "Slurm's trees have nodes below their lowest switches only");
    if (levels.at(i) == 0)
      problems.add(node.where,
                   fmt::format("switch {} is above itself, or above more than {} levels", node.name,
                               kMaxLevels));
    if (levels.at(i) > kTiers)
      problems.add(node.where, fmt::format("switch {} is on level {}", node.name, levels.at(i)),
                   "Railyard's fabrics have three: leaf, spine, core");
    for (const std::string& child : node.switches) {
      if (!levels.index().contains(child))
        problems.add(node.where, fmt::format("there is no switch {}", child));
      if (const auto [at, added] = parents.try_emplace(child, node.name); !added)
        problems.add(node.where, fmt::format("switch {} is below {} already", child, at->second));
    }
    for (const std::string& host : node.hosts)
      if (const auto [at, added] = places.try_emplace(host, node.name); !added)
        problems.add(node.where, fmt::format("node {} is below {} already", host, at->second));
  }
  if (places.empty() && problems.empty()) problems.add("", "lists no nodes");
}

FabricSpec fabric_of_tree(const SwitchTree& tree, int nic_count, Bandwidth nic_rate,
                          double oversubscription) {
  const Levels levels(tree);
  FabricSpec fabric{.kind = FabricKind::explicit_list};
  std::vector<double> ports(tree.switches.size(),
                            0);  // uplink cables of each switch, in units of the NIC rate
  int node = 0;
  for (std::size_t i = 0; i < tree.switches.size(); ++i) {
    fabric.switches.push_back({tree.switches[i].name, levels.at(i)});
    for (std::size_t host = 0; host < tree.switches[i].hosts.size(); ++host, ++node)
      for (int nic = 0; nic < nic_count; ++nic)
        fabric.cables.push_back({.a = fmt::format("node{}/nic{}", node, nic),
                                 .b = tree.switches[i].name,
                                 .bandwidth = nic_rate});
    ports[i] = static_cast<double>(tree.switches[i].hosts.size()) * nic_count;
  }
  for (int level = 2; level <= kTiers; ++level) {
    for (std::size_t i = 0; i < tree.switches.size(); ++i) {
      if (levels.at(i) != level) continue;
      for (const std::string& child : tree.switches[i].switches) {
        const std::size_t below = levels.index().at(child);
        const double up = std::max(1.0, std::ceil(ports[below] / oversubscription));
        ports[i] += up;
        fabric.cables.push_back({.a = child,
                                 .b = tree.switches[i].name,
                                 .bandwidth = nic_rate,
                                 .count = static_cast<int>(up)});
      }
    }
  }
  return fabric;
}

}  // namespace railyard::topology
