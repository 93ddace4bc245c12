#include "topology/cluster/add_faults.hpp"

#include <algorithm>

#include "topology/cluster/cluster.hpp"

namespace railyard::topology {

void add_faults(Faults& all, const Faults& more) {
  all.failed.insert(all.failed.end(), more.failed.begin(), more.failed.end());
  all.degraded.insert(all.degraded.end(), more.degraded.begin(), more.degraded.end());
}

std::set<NodeId> nodes_with_faults(const Cluster& cluster, std::span<const TimedFault> faults) {
  std::set<NodeId> nodes;
  const auto add = [&](LinkId id) {
    const Link& link = cluster.link(id);
    const NodeId node = cluster.device(link.from).node;
    if (!node.is_none() && node == cluster.device(link.to).node) nodes.insert(node);
  };
  for (const TimedFault& fault : faults) {
    std::ranges::for_each(fault.faults.failed, add);
    std::ranges::for_each(fault.faults.degraded, add, &Degradation::link);
  }
  return nodes;
}

}  // namespace railyard::topology
