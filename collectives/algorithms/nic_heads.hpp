#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "collectives/algorithms/algorithm.hpp"

namespace railyard::collectives {

/// The rank that communicates through one NIC of a node, on behalf of the whole node.
struct NicHead {
  Participant rank = kNoParticipant;
  NodeId node;
  int nic = -1;
};

/// heads[h][node]: the head of each node for the h-th NIC. All nodes use the same number of NICs:
/// the smallest number that a node of the group has.
[[nodiscard]] std::vector<std::vector<NicHead>> nic_heads(const Request& request);
/// Empty if every node of the group has a NIC that NCCL assigns to a member of the group; otherwise
/// the reason, with the first node without one.
[[nodiscard]] std::string why_not_nics(const Request& request);

}  // namespace railyard::collectives
