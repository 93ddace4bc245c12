#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "collectives/algorithms/node_legs.hpp"

namespace railyard::collectives {

/// The legs of every node of a group; equal nodes (shape and members) share one search.
class GroupLegs {
 public:
  GroupLegs(const topology::Cluster& cluster, const Group& group, Crossing crossing);
  /// node_legs() of the group's node `index`.
  [[nodiscard]] const std::vector<NodeLeg>& operator[](std::size_t index) const {
    return *by_node_[index];
  }
  /// Legs of the node that has the fewest.
  [[nodiscard]] std::size_t channels() const { return channels_; }

 private:
  std::map<std::pair<const topology::NodeShape*, std::vector<int>>, std::vector<NodeLeg>> known_;
  std::vector<const std::vector<NodeLeg>*> by_node_;
  std::size_t channels_ = 0;
};

}  // namespace railyard::collectives
