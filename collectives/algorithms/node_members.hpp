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
  std::span<const std::uint32_t> positions;  ///< positions in the group
  std::vector<int> gpus;                     ///< local numbers of their GPUs, in the same order

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(gpus.size()); }
};

/// The members on the group's node `index` (an index into Group::nodes()).
[[nodiscard]] NodeMembers members_of(const topology::Cluster& cluster, const Group& group,
                                     std::size_t index);

/// Whether all nodes have the same shape and the same member GPUs in the same order, and the group
/// is ordered node by node: position = node * size + member.
[[nodiscard]] bool has_equal_nodes(const topology::Cluster& cluster, const Group& group);
/// Whether every node has the same number of members.
[[nodiscard]] bool has_equal_sizes(const Group& group);

/// The NICs that NCCL assigns to the members, in ascending order without duplicates; empty if the
/// node has no NIC.
[[nodiscard]] std::vector<int> nics_of(const NodeMembers& members);
/// The members (by index) with the best path to a NIC: highest bandwidth, then best path type, as
/// in NCCL's selection of local NICs.
[[nodiscard]] std::vector<std::uint32_t> near_nic(const NodeMembers& members, int nic);
/// The head of a NIC, where its channels begin: the first member of near_nic() whose own nearest
/// NIC it is, or else the first of near_nic().
[[nodiscard]] std::uint32_t head_of_nic(const NodeMembers& members, int nic);
/// Whether the node of the members has an NVSwitch.
[[nodiscard]] bool has_nvswitch(const NodeMembers& members);

}  // namespace railyard::collectives
