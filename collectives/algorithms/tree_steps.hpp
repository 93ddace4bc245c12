#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "collectives/algorithms/double_binary_tree.hpp"
#include "collectives/schedule/schedule.hpp"

namespace railyard::collectives {

/// How the ranks of one node hang in a tree: a chain from the head (the first) to the tail.
struct TreeChain {
  std::vector<Participant> members;
  int nic = -1;
  /// Which member (0 or 1) the node's first and second child nodes hang on. NCCL's tree pattern:
  /// the head both; its balanced pattern: the first on the head, the second on the next.
  std::array<std::uint8_t, 2> attach{0, 0};
};

/// Steps that bring one chunk from all ranks to the root's head (reduce).
[[nodiscard]] std::vector<Step> steps_up(const NodeTree& tree,
                                         const std::vector<TreeChain>& chains);
/// Steps that bring one chunk from the root's head to all ranks (copy).
[[nodiscard]] std::vector<Step> steps_down(const NodeTree& tree,
                                           const std::vector<TreeChain>& chains);

}  // namespace railyard::collectives
