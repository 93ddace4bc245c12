#pragma once

#include "collectives/schedule/schedule.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::sim {

/// The links inside nodes that a fitted time covers on the path of one transfer: those that join
/// the GPUs of a node, and those from a GPU to a NIC as near as its nearest one. Only these may be
/// simulated faster than their nominal rate. Other links (to a far NIC through the PCIe host or
/// across sockets; PCIe if GPUs are joined by NVLink) were not measured.
class FittedLinks {
 public:
  /// `inside`: the links that join the GPUs of a node (collectives::Pace::inside). The cluster must
  /// outlive this.
  FittedLinks(const topology::Cluster& cluster, const collectives::Schedule& schedule,
              const collectives::Transfer& transfer, topology::LinkKind inside);

  /// Whether the fitted time covers a link of the path.
  [[nodiscard]] bool covers(const topology::Link& link) const;
  /// Whether the transfer leaves its node, or enters the other one, by a NIC that is farther than
  /// the nearest one.
  [[nodiscard]] bool uses_far_nic() const { return uses_far_nic_; }

 private:
  const topology::Cluster& cluster_;
  NodeId source_;
  bool at_source_ = true, at_destination_ = true;  ///< covers links other than NVLinks there
  bool uses_far_nic_ = false;
};

}  // namespace railyard::sim
