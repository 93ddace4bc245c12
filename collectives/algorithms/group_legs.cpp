#include "collectives/algorithms/group_legs.hpp"

#include <algorithm>

namespace railyard::collectives {

GroupLegs::GroupLegs(const topology::Cluster& cluster, const Group& group, Crossing crossing) {
  by_node_.reserve(group.nodes().size());
  for (std::size_t i = 0; i < group.nodes().size(); ++i) {
    const NodeMembers members = members_of(cluster, group, i);
    const auto [entry, is_new] = known_.try_emplace({members.shape, members.gpus});
    if (is_new) entry->second = node_legs(members, crossing);
    by_node_.push_back(&entry->second);
    channels_ = i == 0 ? entry->second.size() : std::min(channels_, entry->second.size());
  }
}

}  // namespace railyard::collectives
