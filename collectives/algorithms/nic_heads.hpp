#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "collectives/algorithms/algorithm.hpp"

namespace railyard::collectives {

/// The rank of a node that communicates through one of its NICs on behalf of the node.
struct NicHead {
  Participant rank = kNoParticipant;
  NodeId node;
  int nic = -1;
};

/// heads[h][node]: the head of each node for the h-th NIC in use. The number of NICs used is that
/// of the node with the fewest.
[[nodiscard]] std::vector<std::vector<NicHead>> nic_heads(const Request& request);
/// Empty if every node of the group has a NIC that NCCL assigns to a member; else the first node
/// without one.
[[nodiscard]] std::string why_not_nics(const Request& request);

}  // namespace railyard::collectives
