#pragma once

#include <cstdint>
#include <vector>

namespace railyard::collectives {

/// A tree over nodes 0..n-1, stored as the parent of each node, with levels counted from the root
/// (0).
struct NodeTree {
  static constexpr std::uint32_t kRoot = ~std::uint32_t{0};
  std::vector<std::uint32_t> parent;      ///< kRoot at the root
  std::vector<std::uint8_t> which_child;  ///< 0 or 1: first or second child of its parent
  std::vector<std::uint32_t> level;
  std::uint32_t depth = 0;  ///< the largest level
};

/// NCCL's double binary tree for all_reduce (after Sanders, Speck, Träff, "Two-tree algorithms for
/// full bandwidth broadcast, reduction and scan", 2009). In the first tree odd nodes are leaves and
/// node 0 is the root. The second tree is its mirror image (n even) or is shifted by one (n odd),
/// so that no node is an inner node in both trees.
[[nodiscard]] NodeTree binary_tree(std::uint32_t nodes, bool second);

/// The double tree for broadcast and reduce, with node 0 as the root of both. In the second tree
/// the other nodes form the mirror image of a binary tree, whose root is a child of node 0.
[[nodiscard]] NodeTree rooted_tree(std::uint32_t nodes, bool second);

}  // namespace railyard::collectives
