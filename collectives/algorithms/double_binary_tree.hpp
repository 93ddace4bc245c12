#pragma once

#include <cstdint>
#include <vector>

namespace railyard::collectives {

/// A tree over nodes 0..n-1, by parent, with the levels from its root (0) down.
struct NodeTree {
  static constexpr std::uint32_t kRoot = ~std::uint32_t{0};
  std::vector<std::uint32_t> parent;      ///< kRoot at the root
  std::vector<std::uint8_t> which_child;  ///< 0 or 1: as which child of its parent
  std::vector<std::uint32_t> level;
  std::uint32_t depth = 0;  ///< the largest level
};

/// NCCL's trees for all_reduce (after Sanders, Speck, Träff, "Two-tree algorithms for full
/// bandwidth broadcast, reduction and scan", 2009): in the first, odd nodes are leaves and node 0
/// is the root; the second is its mirror image (n even) or shifted by one (n odd), so that no node
/// carries the load of an inner node twice.
[[nodiscard]] NodeTree binary_tree(std::uint32_t nodes, bool second);

/// The like for broadcast and reduce, both rooted at node 0: the second is the mirror image over
/// the other nodes, hung below node 0.
[[nodiscard]] NodeTree rooted_tree(std::uint32_t nodes, bool second);

}  // namespace railyard::collectives
