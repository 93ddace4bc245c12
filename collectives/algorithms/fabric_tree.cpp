#include "collectives/algorithms/fabric_tree.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace railyard::collectives {
namespace {

using topology::Cluster;

int tier_of(const Cluster& cluster, DeviceId device) {
  return topology::tier(cluster.device(device).kind);
}

/// The leaf switch at the NIC. If the NIC has several ports (planes), `number` selects one.
DeviceId leaf_of(const Cluster& cluster, const NicHead& head, std::size_t number) {
  std::vector<DeviceId> leaves;
  for (const LinkId link : cluster.out_links(cluster.nic(head.node, head.nic))) {
    const DeviceId to = cluster.link(link).to;
    if (tier_of(cluster, to) > 0) leaves.push_back(to);
  }
  return leaves.empty() ? DeviceId() : leaves[number % leaves.size()];
}

/// The parent, by device, of every switch below `root`, found tier by tier.
std::vector<DeviceId> parents_below(const Cluster& cluster, DeviceId root) {
  std::vector<DeviceId> parent(cluster.device_count());
  std::vector<DeviceId> reached{root};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const LinkId link : cluster.out_links(reached[i])) {
      const DeviceId to = cluster.link(link).to;
      const int tier = tier_of(cluster, to);
      if (tier == 0 || tier >= tier_of(cluster, reached[i]) || !parent[to.index()].is_none())
        continue;
      parent[to.index()] = reached[i];
      reached.push_back(to);
    }
  }
  return parent;
}

/// The switches of the next tiers up that are directly linked to any of `below`, in ascending
/// order.
std::vector<DeviceId> switches_above(const Cluster& cluster, const std::set<DeviceId>& below) {
  std::set<DeviceId> above;
  for (const DeviceId device : below) {
    for (const LinkId link : cluster.out_links(device)) {
      const DeviceId to = cluster.link(link).to;
      if (tier_of(cluster, to) > tier_of(cluster, device)) above.insert(to);
    }
  }
  return {above.begin(), above.end()};
}

struct Rooted {
  DeviceId root;
  std::vector<DeviceId> parent;
};

/// The lowest switch that has all leaves below it.
Rooted find_root(const Cluster& cluster, const std::set<DeviceId>& leaves, std::size_t number) {
  if (leaves.size() == 1) return {.root = *leaves.begin(), .parent = {}};
  std::set<DeviceId> below = leaves;
  while (true) {
    const std::vector<DeviceId> candidates = switches_above(cluster, below);
    if (candidates.empty()) return {};
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const DeviceId root = candidates[(number + i) % candidates.size()];
      std::vector<DeviceId> parent = parents_below(cluster, root);
      const bool joins_all = std::all_of(leaves.begin(), leaves.end(), [&](DeviceId leaf) {
        return !parent[leaf.index()].is_none();
      });
      if (joins_all) return {.root = root, .parent = std::move(parent)};
    }
    below = {candidates.begin(), candidates.end()};
  }
}

}  // namespace

FabricTree fabric_tree(const Cluster& cluster, const std::vector<NicHead>& heads,
                       std::size_t number, Reducers& reducers) {
  std::set<DeviceId> leaves;
  for (const NicHead& head : heads) leaves.insert(leaf_of(cluster, head, number));
  if (leaves.contains(DeviceId())) return {};
  const Rooted rooted = find_root(cluster, leaves, number);
  if (rooted.root.is_none()) return {};
  FabricTree tree{.root = rooted.root, .up = std::vector<std::vector<Edge>>(4)};
  for (const NicHead& head : heads) {
    tree.up[0].push_back({.source = head.rank,
                          .destination = reducers.participant(leaf_of(cluster, head, number)),
                          .source_nic = static_cast<std::int8_t>(head.nic)});
  }
  std::set<DeviceId> joined;
  for (DeviceId at : leaves) {
    for (; at != rooted.root && joined.insert(at).second; at = rooted.parent[at.index()]) {
      tree.up[static_cast<std::size_t>(tier_of(cluster, at))].push_back(
          {.source = reducers.participant(at),
           .destination = reducers.participant(rooted.parent[at.index()])});
    }
  }
  return tree;
}

std::vector<std::vector<Edge>> downwards(std::vector<std::vector<Edge>> up) {
  std::reverse(up.begin(), up.end());
  for (std::vector<Edge>& edges : up) {
    for (Edge& edge : edges) {
      std::swap(edge.source, edge.destination);
      std::swap(edge.source_nic, edge.destination_nic);
    }
  }
  return up;
}

}  // namespace railyard::collectives
