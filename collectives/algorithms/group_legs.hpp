#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "collectives/algorithms/node_legs.hpp"

namespace railyard::collectives {

/// The legs (see NodeLeg) of every node of a group. Nodes with the same shape and members share one
/// search.
class GroupLegs {
 public:
  GroupLegs(const topology::Cluster& cluster, const Group& group, Crossing crossing);
  /// The legs of the group's node `index`, as found by node_legs().
  [[nodiscard]] const std::vector<NodeLeg>& operator[](std::size_t index) const {
    return *by_node_[index];
  }
  /// The number of legs of the node with the fewest.
  [[nodiscard]] std::size_t channels() const { return channels_; }

 private:
  std::map<std::pair<const topology::NodeShape*, std::vector<int>>, std::vector<NodeLeg>> known_;
  std::vector<const std::vector<NodeLeg>*> by_node_;
  std::size_t channels_ = 0;
};

}  // namespace railyard::collectives
