#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "collectives/algorithms/node_members.hpp"

namespace railyard::collectives {

/// The way of one ring (or chain) through a node: in by a NIC, through every member, out by a NIC.
struct NodeLeg {
  std::vector<std::uint32_t> order;  ///< indices into NodeMembers
  int in_nic = -1;
  int out_nic = -1;
  std::optional<std::uint32_t>
      relay;  ///< member that hands over to out_nic (PXN); not set: the last itself
};

/// How rings cross nodes: NCCL's crossNic 0 and 2.
enum class Crossing : std::uint8_t {
  straight,  ///< in and out by the same NIC
  paired,  ///< channels 2j and 2j+1 run in by one NIC of a pair and out by the other, against each
           ///< other
};

/// What NCCL's search would take for such nodes (it prefers one NIC for both ways, if two GPUs
/// share it, as on DGX A100; two NICs in pairs otherwise, as on DGX H100).
[[nodiscard]] Crossing crossing_for(const NodeMembers& members);
/// Whether the NICs of the members can be paired.
[[nodiscard]] bool can_pair(const NodeMembers& members);

/// One leg per NIC (at least one, without NICs): those of nodes with even numbers in the ring.
[[nodiscard]] std::vector<NodeLeg> node_legs(const NodeMembers& members, Crossing crossing);
/// The leg of a node of odd number: paired legs run backwards, so that each hop stays on one rail.
[[nodiscard]] NodeLeg odd_leg(const NodeLeg& even, Crossing crossing);

/// Rings within one node: link-disjoint where NVLinks join GPUs directly, else one, through the
/// NVSwitch by number or over PCIe with the fewest changes of socket.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> node_rings(const NodeMembers& members);

}  // namespace railyard::collectives
