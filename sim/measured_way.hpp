#pragma once

#include "collectives/schedule/schedule.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::sim {

/// Which links inside nodes a fitted time speaks of on the way of one transfer: those by which GPUs
/// of a node meet, and from a GPU to a NIC no farther than its nearest. Only these may carry what
/// the time needs where that is more than their count; any other (to a far NIC over the PCIe host
/// and between sockets; PCIe where GPUs meet over NVLink) has no measurement behind it.
class MeasuredWay {
 public:
  /// `inside`: by what GPUs of a node meet (collectives::Pace::inside). Cluster must outlive it.
  MeasuredWay(const topology::Cluster& cluster, const collectives::Schedule& schedule,
              const collectives::Transfer& transfer, topology::LinkKind inside);

  /// Whether the time speaks of a link of the way.
  [[nodiscard]] bool has(const topology::Link& link) const;
  /// Whether the transfer leaves its node, or enters the other, by a NIC that is not the nearest.
  [[nodiscard]] bool takes_far_nic() const { return takes_far_nic_; }

 private:
  const topology::Cluster& cluster_;
  NodeId source_;
  bool at_source_ = true, at_destination_ = true;  ///< also of links that are no NVLinks
  bool takes_far_nic_ = false;
};

}  // namespace railyard::sim
