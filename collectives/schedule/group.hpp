#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/id.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::collectives {

/// The members of a group on one node, as positions in the group in ascending order.
struct GroupNode {
  NodeId node;
  std::uint32_t first = 0;  ///< index into Group::positions_by_node()
  std::uint32_t count = 0;
};

/// The ordered ranks that take part in a collective. A position is an index into the group (the
/// rank within its communicator). Immutable.
class Group {
 public:
  /// Throws InputError for a rank that the cluster does not have, a repeated rank, or an empty
  /// list.
  Group(const topology::Cluster& cluster, std::vector<Rank> ranks);
  /// The group of the first `count` ranks of the cluster.
  [[nodiscard]] static Group first(const topology::Cluster& cluster, std::size_t count);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(ranks_.size()); }
  [[nodiscard]] std::span<const Rank> ranks() const { return ranks_; }
  [[nodiscard]] Rank rank(std::uint32_t position) const { return ranks_[position]; }
  /// The nodes of the group, in the order of their first member.
  [[nodiscard]] std::span<const GroupNode> nodes() const { return nodes_; }
  /// All positions, grouped by node in the order of nodes().
  [[nodiscard]] std::span<const std::uint32_t> positions_by_node() const {
    return positions_by_node_;
  }
  [[nodiscard]] std::span<const std::uint32_t> members(const GroupNode& node) const {
    return std::span(positions_by_node_).subspan(node.first, node.count);
  }
  /// The index in nodes() of the node of a position.
  [[nodiscard]] std::uint32_t node_index(std::uint32_t position) const {
    return node_index_[position];
  }

 private:
  std::vector<Rank> ranks_;
  std::vector<GroupNode> nodes_;
  std::vector<std::uint32_t> positions_by_node_;
  std::vector<std::uint32_t> node_index_;
};

}  // namespace railyard::collectives
