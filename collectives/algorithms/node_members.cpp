#include "collectives/algorithms/node_members.hpp"

#include <algorithm>
#include <cassert>

namespace railyard::collectives {

NodeMembers members_of(const topology::Cluster& cluster, const Group& group, std::size_t index) {
  const GroupNode& node = group.nodes()[index];
  NodeMembers members{.shape = &cluster.shape(node.node),
                      .node = node.node,
                      .positions = group.members(node),
                      .gpus = {}};
  members.gpus.reserve(node.count);
  for (const std::uint32_t position : members.positions) {
    members.gpus.push_back(cluster.local_gpu(group.rank(position)));
  }
  return members;
}

bool has_equal_sizes(const Group& group) {
  const auto nodes = group.nodes();
  return std::all_of(nodes.begin(), nodes.end(),
                     [&](const GroupNode& node) { return node.count == nodes.front().count; });
}

bool has_equal_nodes(const topology::Cluster& cluster, const Group& group) {
  if (!has_equal_sizes(group)) return false;
  const std::uint32_t size = group.nodes().front().count;
  const topology::NodeShape* shape = &cluster.shape(group.nodes().front().node);
  for (std::uint32_t position = 0; position < group.size(); ++position) {
    const std::uint32_t node = position / size;
    if (group.node_index(position) != node) return false;
    if (&cluster.shape(group.nodes()[node].node) != shape) return false;
    const Rank first = group.rank(position % size);
    if (cluster.local_gpu(group.rank(position)) != cluster.local_gpu(first)) return false;
  }
  return true;
}

std::vector<int> nics_of(const NodeMembers& members) {
  std::vector<int> nics;
  for (const int gpu : members.gpus) {
    const int nic = members.shape->nearest_nic(gpu);
    if (nic >= 0) nics.push_back(nic);
  }
  std::sort(nics.begin(), nics.end());
  nics.erase(std::unique(nics.begin(), nics.end()), nics.end());
  return nics;
}

std::vector<std::uint32_t> near_nic(const NodeMembers& members, int nic) {
  std::vector<std::uint32_t> near;
  topology::NodePath best;
  for (std::uint32_t i = 0; i < members.size(); ++i) {
    const topology::NodePath path = members.shape->gpu_to_nic(members.gpus[i], nic);
    const bool is_better = near.empty() || path.bandwidth > best.bandwidth ||
                           (path.bandwidth == best.bandwidth && path.type < best.type);
    if (is_better) {
      near.clear();
      best = path;
    }
    if (path.type == best.type && path.bandwidth == best.bandwidth) near.push_back(i);
  }
  return near;
}

std::uint32_t head_of_nic(const NodeMembers& members, int nic) {
  const std::vector<std::uint32_t> near = near_nic(members, nic);
  assert(!near.empty());
  for (const std::uint32_t member : near) {
    if (members.shape->nearest_nic(members.gpus[member]) == nic) return member;
  }
  return near.front();
}

bool has_nvswitch(const NodeMembers& members) {
  const auto devices = members.shape->devices();
  return std::any_of(devices.begin(), devices.end(), [](const topology::Device& device) {
    return device.kind == topology::DeviceKind::nvswitch;
  });
}

}  // namespace railyard::collectives
