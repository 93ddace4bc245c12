#include "collectives/algorithms/double_binary_tree.hpp"

#include <algorithm>
#include <functional>

namespace railyard::collectives {
namespace {

/// The parent in the first tree. With b the lowest set bit of the node, the candidates are the
/// multiples of 2b next to the node: the one above, or the one below if the one above does not
/// exist.
std::uint32_t first_parent(std::uint32_t node, std::uint32_t nodes) {
  if (node == 0) return NodeTree::kRoot;
  const std::uint32_t bit = node & (~node + 1);
  const std::uint32_t below = node ^ bit;
  const std::uint32_t above = below | (bit << 1U);
  return above < nodes ? above : below;
}

/// Builds the first tree over `shape` nodes with renamed nodes (`name` is one to one). Sets parents
/// and child numbers; levels are set by number_levels().
NodeTree named(std::uint32_t shape, std::uint32_t nodes,
               const std::function<std::uint32_t(std::uint32_t)>& name) {
  NodeTree tree{.parent = std::vector<std::uint32_t>(nodes, NodeTree::kRoot),
                .which_child = std::vector<std::uint8_t>(nodes, 0),
                .level = std::vector<std::uint32_t>(nodes, 0)};
  for (std::uint32_t node = 0; node < shape; ++node) {
    const std::uint32_t parent = first_parent(node, shape);
    if (parent == NodeTree::kRoot) continue;
    tree.parent[name(node)] = name(parent);
    tree.which_child[name(node)] = node > parent ? 1 : 0;
  }
  return tree;
}

void number_levels(NodeTree& tree) {
  for (std::uint32_t node = 0; node < tree.parent.size(); ++node) {
    std::uint32_t level = 0;
    for (std::uint32_t at = node; tree.parent[at] != NodeTree::kRoot; at = tree.parent[at]) ++level;
    tree.level[node] = level;
    tree.depth = std::max(tree.depth, level);
  }
}

}  // namespace

NodeTree binary_tree(std::uint32_t nodes, bool second) {
  const bool mirrored = nodes % 2 == 0;
  NodeTree tree = named(nodes, nodes, [&](std::uint32_t node) {
    if (!second) return node;
    return mirrored ? nodes - 1 - node : (node + 1) % nodes;
  });
  number_levels(tree);
  return tree;
}

NodeTree rooted_tree(std::uint32_t nodes, bool second) {
  if (!second || nodes < 2) return binary_tree(nodes, false);
  NodeTree tree = named(nodes - 1, nodes, [&](std::uint32_t node) { return nodes - 1 - node; });
  tree.parent[nodes - 1] = 0;
  number_levels(tree);
  return tree;
}

}  // namespace railyard::collectives
