#pragma once

#include <vector>

#include "topology/cluster/cluster.hpp"
#include "topology/cluster/live_links.hpp"
#include "topology/routing/hop.hpp"

namespace railyard::topology {

/// Routes inside nodes: along the paths of NodeShape, or, if a link of such a path has failed,
/// along the path with the fewest live links.
class NodeRouter {
 public:
  NodeRouter(const Cluster& cluster, const Faults& faults);

  /// A GPU, a NIC or the NVSwitch of a node, by its number within its kind.
  struct End {
    DeviceKind kind = DeviceKind::gpu;
    int number = 0;
  };

  /// Appends the hops between two ends of the same node. Returns false, and appends nothing, if
  /// there is no path.
  [[nodiscard]] bool route(NodeId node, End from, End to, std::vector<Hop>& hops) const;

  [[nodiscard]] DeviceId device(NodeId node, End end) const;

 private:
  [[nodiscard]] bool by_shape(NodeId node, End from, End to, std::vector<Hop>& hops) const;
  [[nodiscard]] bool by_link(DeviceId from, DeviceId to, std::vector<Hop>& hops) const;
  [[nodiscard]] bool by_search(NodeId node, DeviceId from, DeviceId to,
                               std::vector<Hop>& hops) const;

  const Cluster* cluster_;
  LiveLinks live_;
};

}  // namespace railyard::topology
