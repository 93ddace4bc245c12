#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "sim/measured_way.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/routing/hop.hpp"

namespace railyard::sim {

/// What one task asks at its full pace of the links inside nodes that its pace speaks of. NCCL
/// counts these links below what they carry (NVLink and PCIe by a fifth, links between sockets by
/// more), so that a task measured to be faster needs the count raised; ports and fabric links are
/// physical and never are.
class Headroom {
 public:
  explicit Headroom(const topology::Cluster& cluster) : cluster_(&cluster) {}

  /// A transfer of the task that goes its way, `hops`, at `rate` B/s on the wire.
  void add(const MeasuredWay& way, std::span<const topology::Hop> hops, double rate);

  /// Calls visit(link, B/s) for every link inside a node of which more is asked than its bandwidth.
  template <class Visit>
  void for_each_short(Visit&& visit) const {
    for (const auto& [node, asked] : nodes_) {
      const std::size_t first = cluster_->node(NodeId(node)).first_link.index();
      for (std::size_t i = 0; i < asked.size(); ++i) {
        const LinkId link(first + i);
        if (asked[i] > cluster_->link(link).bandwidth.bytes_per_second()) visit(link, asked[i]);
      }
    }
  }

 private:
  [[nodiscard]] std::vector<double>& of(NodeId node);

  const topology::Cluster* cluster_;
  std::map<std::uint32_t, std::vector<double>> nodes_;  ///< by link of the node
  NodeId last_ = NodeId::none();
  std::vector<double>* last_asked_ = nullptr;
};

}  // namespace railyard::sim
