#pragma once

#include "placement/cost/communication.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::placement {

/// The properties of a cluster with equal nodes that ClosedForm uses.
struct NodeFabric {
  std::uint32_t gpus_per_node = 1;
  Bandwidth nvlink{};  ///< from one GPU to the others of its node, per direction (PCIe without
                       ///< NVLink)
  Bandwidth nics{};    ///< payload, all NICs of a node together, per direction
  std::uint32_t nic_count = 0;
  topology::ProtocolOverheads overheads{};
};

/// From a node's description.
[[nodiscard]] NodeFabric node_fabric(const topology::NodeSpec& node,
                                     const topology::ProtocolOverheads& overheads);
/// From a cluster. Throws InputError if its nodes differ.
[[nodiscard]] NodeFabric node_fabric(const topology::Cluster& cluster);

/// Time of collectives by formula: the fastest of NCCL's protocols LL, LL128 and Simple. With n
/// ranks, q of them on each node, B bytes, and rate = payload share · min(nvlink, nics / beside):
///   ring all_reduce      launch + 2(n-1)·alpha + 2(n-1)/n · B / rate
///   all_gather, reduce_scatter, broadcast, reduce
///                        launch +  (n-1)·alpha +  (n-1)/n · B / rate
///   tree all_reduce      over nodes: 2·log2(nodes) network steps (NCCL's double binary tree)
///   all_to_all           max((q-1)/n · B / nvlink, (n-q)/n · B · q · beside / nics)
/// alpha is the latency of a step inside a node or between nodes. Example: all_reduce of 1 GB over
/// the 8 GPUs of a node at 450 GB/s needs 2·7/8 · 1 GB / 450 GB/s = 3.9 ms plus launch and 14
/// alpha. Tiers above the leaf and hash collisions are not modelled.
class ClosedForm final : public CommunicationModel {
 public:
  explicit ClosedForm(NodeFabric fabric) : fabric_(fabric) {}
  [[nodiscard]] Time time(const GroupCollective& collective) const override;

 private:
  NodeFabric fabric_;
};

}  // namespace railyard::placement
