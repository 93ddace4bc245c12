#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/id.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::collectives {

/// The members of a group on one node: positions in the group, in order.
struct GroupNode {
  NodeId node;
  std::uint32_t first = 0;  ///< into Group::positions_by_node()
  std::uint32_t count = 0;
};

/// The ordered ranks that a collective is asked of. A position is an index into the group (the
/// "rank" of its communicator). Immutable.
class Group {
 public:
  /// Throws InputError for a rank beyond the cluster, a repeated rank or an empty list.
  Group(const topology::Cluster& cluster, std::vector<Rank> ranks);
  /// The first `count` ranks of the cluster.
  [[nodiscard]] static Group first(const topology::Cluster& cluster, std::size_t count);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(ranks_.size()); }
  [[nodiscard]] std::span<const Rank> ranks() const { return ranks_; }
  [[nodiscard]] Rank rank(std::uint32_t position) const { return ranks_[position]; }
  /// The nodes of the group, in order of first appearance.
  [[nodiscard]] std::span<const GroupNode> nodes() const { return nodes_; }
  /// All positions, node by node.
  [[nodiscard]] std::span<const std::uint32_t> positions_by_node() const {
    return positions_by_node_;
  }
  [[nodiscard]] std::span<const std::uint32_t> members(const GroupNode& node) const {
    return std::span(positions_by_node_).subspan(node.first, node.count);
  }
  /// Index into nodes() of the node of a position.
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
