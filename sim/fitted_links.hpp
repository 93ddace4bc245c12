#pragma once

#include "collectives/schedule/schedule.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::sim {

/// The links inside nodes to which a fitted time applies, on the path of one transfer: links that
/// connect the GPUs of a node, and links from a GPU to one of its nearest NICs. Only these may be
/// simulated faster than their nominal rate. Other links were not measured: those to a distant NIC
/// through the PCIe host or across sockets, and PCIe if the GPUs are connected by NVLink.
class FittedLinks {
 public:
  /// `inside`: the kind of links that connect the GPUs of a node (collectives::Pace::inside). The
  /// cluster must outlive this object.
  FittedLinks(const topology::Cluster& cluster, const collectives::Schedule& schedule,
              const collectives::Transfer& transfer, topology::LinkKind inside);

  /// Whether the fitted time applies to a link of the path.
  [[nodiscard]] bool covers(const topology::Link& link) const;
  /// Whether the transfer leaves its node, or enters the other node, by a NIC that is not one of
  /// the nearest.
  [[nodiscard]] bool uses_far_nic() const { return uses_far_nic_; }

 private:
  const topology::Cluster& cluster_;
  NodeId source_;
  bool at_source_ = true, at_destination_ = true;  ///< whether other links than NVLinks are covered
                                                   ///< at this end
  bool uses_far_nic_ = false;
};

}  // namespace railyard::sim
