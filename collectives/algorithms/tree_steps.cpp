#include "collectives/algorithms/tree_steps.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace railyard::collectives {
namespace {

using Edges = std::vector<Edge>;

/// Whether a child node connects to the second member. The hop from that member to the head must
/// then wait for the child.
bool is_late(const TreeChain& chain) { return chain.attach[0] == 1 || chain.attach[1] == 1; }

/// Edges towards the root, by step, in execution order.
std::vector<Edges> edges_up(const NodeTree& tree, const std::vector<TreeChain>& chains) {
  std::size_t longest = 0;
  for (const TreeChain& chain : chains) longest = std::max(longest, chain.members.size());
  // First the hops of the chains, from the tail towards the head. Then, for each level from the
  // bottom, the delayed hop to the head and the hop to the parent node.
  const std::size_t chain_steps = longest - 1;
  const auto level_step = [&](std::uint32_t level) {
    return chain_steps + 2 * std::size_t{tree.depth - level};
  };
  std::vector<Edges> steps(chain_steps + 2 * std::size_t{tree.depth} + 2);
  for (std::size_t node = 0; node < chains.size(); ++node) {
    const TreeChain& chain = chains[node];
    const std::size_t late = level_step(tree.level[node]);
    for (std::size_t hop = 1; hop < chain.members.size(); ++hop) {
      const bool waits = hop == 1 && is_late(chain);
      steps[waits ? late : longest - 1 - hop].push_back(
          {.source = chain.members[hop], .destination = chain.members[hop - 1]});
    }
    if (tree.parent[node] == NodeTree::kRoot) continue;
    const TreeChain& parent = chains[tree.parent[node]];
    steps[late + 1].push_back({.source = chain.members[0],
                               .destination = parent.members[parent.attach[tree.which_child[node]]],
                               .source_nic = static_cast<std::int8_t>(chain.nic),
                               .destination_nic = static_cast<std::int8_t>(parent.nic)});
  }
  return steps;
}

std::vector<Step> to_steps(std::vector<Edges> edges, Action action) {
  std::vector<Step> steps;
  for (Edges& of_step : edges) {
    if (of_step.empty()) continue;
    steps.push_back(
        {.pattern = EdgePattern{.edges = std::make_shared<const Edges>(std::move(of_step)),
                                .action = action}});
  }
  return steps;
}

}  // namespace

std::vector<Step> steps_up(const NodeTree& tree, const std::vector<TreeChain>& chains) {
  return to_steps(edges_up(tree, chains), Action::reduce);
}

std::vector<Step> steps_down(const NodeTree& tree, const std::vector<TreeChain>& chains) {
  std::vector<Edges> edges = edges_up(tree, chains);
  std::reverse(edges.begin(), edges.end());
  for (Edges& of_step : edges) {
    for (Edge& edge : of_step) {
      std::swap(edge.source, edge.destination);
      std::swap(edge.source_nic, edge.destination_nic);
    }
  }
  return to_steps(std::move(edges), Action::copy);
}

}  // namespace railyard::collectives
