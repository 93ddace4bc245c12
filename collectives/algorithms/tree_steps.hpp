#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "collectives/algorithms/double_binary_tree.hpp"
#include "collectives/schedule/schedule.hpp"

namespace railyard::collectives {

/// The ranks of one node in a tree: a chain from its head (first member) to its tail (last member).
struct TreeChain {
  std::vector<Participant> members;
  /// NIC by which the node communicates with its parent and children; -1: the nearest.
  int nic = -1;
  /// The member (index 0 or 1) to which the first and the second child node connect. In NCCL's tree
  /// pattern both connect to the head; in its balanced pattern the first connects to the head and
  /// the second to the next member.
  std::array<std::uint8_t, 2> attach{0, 0};
};

/// Steps that reduce one chunk from all ranks to the head of the root node.
[[nodiscard]] std::vector<Step> steps_up(const NodeTree& tree,
                                         const std::vector<TreeChain>& chains);
/// Steps that copy one chunk from the head of the root node to all ranks.
[[nodiscard]] std::vector<Step> steps_down(const NodeTree& tree,
                                           const std::vector<TreeChain>& chains);

}  // namespace railyard::collectives
