#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collectives/schedule/group.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::collectives {

/// The members of a group on one of its nodes.
struct NodeMembers {
  const topology::NodeShape* shape = nullptr;
  NodeId node;
  std::span<const std::uint32_t> positions;  ///< in the group
  std::vector<int> gpus;                     ///< their numbers in the node, in the same order

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(gpus.size()); }
};

/// The members on the group's node `index` (of Group::nodes()).
[[nodiscard]] NodeMembers members_of(const topology::Cluster& cluster, const Group& group,
                                     std::size_t index);

/// Whether every node is of one shape, with the same GPUs in the same order, and the group goes
/// through them node by node: position = node * size + member.
[[nodiscard]] bool has_equal_nodes(const topology::Cluster& cluster, const Group& group);
/// Whether every node has as many members.
[[nodiscard]] bool has_equal_sizes(const Group& group);

/// The NICs that NCCL gives to the members, each once, by number; empty where the node has none.
[[nodiscard]] std::vector<int> nics_of(const NodeMembers& members);
/// The members (by index) with the best path to a NIC: bandwidth first, then type, as
/// NCCL's choice of local NICs.
[[nodiscard]] std::vector<std::uint32_t> near_nic(const NodeMembers& members, int nic);
/// The one of near_nic() that a channel of that NIC begins at: whose own nearest NIC it is.
[[nodiscard]] std::uint32_t head_of_nic(const NodeMembers& members, int nic);
/// Whether the members reach each other through an NVSwitch.
[[nodiscard]] bool has_nvswitch(const NodeMembers& members);

}  // namespace railyard::collectives
