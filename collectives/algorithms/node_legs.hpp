#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "collectives/algorithms/node_members.hpp"

namespace railyard::collectives {

/// The part of a ring (or chain) inside one node: it enters by a NIC, visits every member, and
/// leaves by a NIC.
struct NodeLeg {
  std::vector<std::uint32_t> order;  ///< indices into NodeMembers
  int in_nic = -1;
  int out_nic = -1;
  /// The member that sends to out_nic on behalf of the last one (PXN); not set: the last one sends
  /// itself.
  std::optional<std::uint32_t> relay;
};

/// How rings cross nodes: NCCL's crossNic 0 (straight) and 2 (paired).
enum class Crossing : std::uint8_t {
  straight,  ///< a ring enters and leaves a node by the same NIC
  /// Channels 2j and 2j+1 use a pair of NICs in opposite directions: one enters where the other
  /// leaves.
  paired,
};

/// The crossing that NCCL's search would choose for such nodes: straight if two GPUs share a NIC
/// (DGX A100), else paired if possible (DGX H100).
[[nodiscard]] Crossing crossing_for(const NodeMembers& members);
/// Whether the NICs of the members can be grouped into pairs with different head GPUs.
[[nodiscard]] bool can_pair(const NodeMembers& members);

/// The legs of even-numbered nodes of a ring: one per NIC, or a single one if there is no NIC.
[[nodiscard]] std::vector<NodeLeg> node_legs(const NodeMembers& members, Crossing crossing);
/// The leg of an odd-numbered node. Paired legs run in reverse there, so that each hop between
/// nodes stays on one rail.
[[nodiscard]] NodeLeg odd_leg(const NodeLeg& even, Crossing crossing);

/// Rings inside one node. With direct NVLinks between GPUs, these are link-disjoint rings. With an
/// NVSwitch or only PCIe there is one ring: by GPU number through the NVSwitch, or ordered by
/// socket over PCIe to minimise crossings between sockets.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> node_rings(const NodeMembers& members);

}  // namespace railyard::collectives
