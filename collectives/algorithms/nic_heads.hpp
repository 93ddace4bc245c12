#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "collectives/algorithms/algorithm.hpp"

namespace railyard::collectives {

/// The rank of a node that stands for it on one NIC.
struct NicHead {
  Participant rank = kNoParticipant;
  NodeId node;
  int nic = -1;
};

/// heads[h][node]: for each NIC in use (as many as on the node with the fewest), one head per node.
[[nodiscard]] std::vector<std::vector<NicHead>> nic_heads(const Request& request);
/// Empty if every node of the group has a NIC for it.
[[nodiscard]] std::string why_not_nics(const Request& request);

}  // namespace railyard::collectives
