#pragma once

#include "placement/cost/communication.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::placement {

/// What a closed form needs to know of a cluster of equal nodes.
struct NodeFabric {
  std::uint32_t gpus_per_node = 1;
  Bandwidth nvlink{};  ///< of one GPU to the others of its node, per direction; or over PCIe
  Bandwidth nics{};    ///< of all NICs of a node, payload
  std::uint32_t nic_count = 0;
  topology::ProtocolOverheads overheads{};
};

/// Reads it off a kind of node.
[[nodiscard]] NodeFabric node_fabric(const topology::NodeSpec& node,
                                     const topology::ProtocolOverheads& overheads);
/// Reads it off a cluster. Throws InputError where nodes differ.
[[nodiscard]] NodeFabric node_fabric(const topology::Cluster& cluster);

/// Collectives by formula: for each of NCCL's protocols launch + steps · alpha + bytes / rate, the
/// fastest counts. A ring that crosses nodes is bounded by the node's NICs shared among the rings
/// of the node (`beside`); a tree (all_reduce over nodes) takes 2·log2(nodes) network steps; in an
/// all-to-all every GPU has its share of the NICs. No tiers above the leaf, no hashing.
class ClosedForm final : public CommunicationModel {
 public:
  explicit ClosedForm(NodeFabric fabric) : fabric_(fabric) {}
  [[nodiscard]] Time time(const GroupCollective& collective) const override;

 private:
  NodeFabric fabric_;
};

}  // namespace railyard::placement
