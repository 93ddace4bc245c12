#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "sim/fitted_links.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/routing/hop.hpp"

namespace railyard::sim {

/// The rate that one task needs of each link inside a node at its fitted pace (FittedLinks lists
/// the links that the pace covers). NCCL's nominal rates of these links are below their real
/// capacity (NVLink and PCIe by a fifth, links between sockets by more). If a fitted pace needs
/// more than the nominal rate, the simulation raises the link's capacity to that rate, but never
/// above the line rate. Ports and links between switches are never raised.
class NodeLinkDemand {
 public:
  explicit NodeLinkDemand(const topology::Cluster& cluster) : cluster_(&cluster) {}

  /// Adds a transfer of the task over `hops` at `rate` B/s on the wire.
  void add(const FittedLinks& fitted, std::span<const topology::Hop> hops, double rate);

  /// Calls visit(link, B/s) for each link inside a node that needs more than its bandwidth.
  template <class Visit>
  void for_each_exceeded(Visit&& visit) const {
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
