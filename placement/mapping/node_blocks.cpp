#include "placement/mapping/node_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>

#include "core/diagnostic.hpp"

namespace railyard::placement {
namespace {

using Order = std::vector<std::uint32_t>;

/// Blocks below one leaf, and leaves below one pod, in tree order.
struct LeafBlocks {
  Order blocks;
};
struct PodBlocks {
  std::vector<LeafBlocks> leaves;
  std::size_t count = 0;
};

std::vector<PodBlocks> by_tree(const Tiers& tiers, const NodeBlocks& blocks) {
  std::map<std::uint32_t, std::map<std::uint32_t, Order>> tree;
  for (std::size_t b = 0; b < blocks.count(); ++b) {
    const Tiers::GpuPosition& position = tiers.gpu_position(blocks[b].front());
    tree[position.pod][position.leaf].push_back(static_cast<std::uint32_t>(b));
  }
  std::vector<PodBlocks> pods;
  for (auto& [pod, leaves] : tree) {
    PodBlocks& out = pods.emplace_back();
    for (auto& [leaf, order] : leaves) {
      std::ranges::sort(order, {}, [&](std::uint32_t b) { return blocks[b].front(); });
      out.count += order.size();
      out.leaves.push_back({std::move(order)});
    }
  }
  return pods;
}

/// Uses the fewest pods: the smallest pod that holds all remaining blocks, otherwise the largest.
/// Within a pod, leaves with the most blocks come first, and the last blocks go to the smallest
/// leaf that holds them.
std::vector<PodBlocks> compact(std::vector<PodBlocks> pods, std::size_t needed) {
  std::vector<PodBlocks> chosen;
  while (needed > 0 && !pods.empty()) {
    auto best = pods.begin();
    for (auto p = pods.begin(); p != pods.end(); ++p) {
      const bool fits = p->count >= needed, best_fits = best->count >= needed;
      if (fits != best_fits ? fits : (fits ? p->count < best->count : p->count > best->count))
        best = p;
    }
    PodBlocks pod = std::move(*best);
    pods.erase(best);
    std::ranges::stable_sort(pod.leaves, std::ranges::greater{},
                             [](const LeafBlocks& leaf) { return leaf.blocks.size(); });
    PodBlocks taken;
    std::size_t left = std::min(needed, pod.count);
    while (taken.count < left) {
      const std::size_t rest = left - taken.count;
      // Leaves are sorted by size, largest first. Takes the smallest leaf that holds the rest, or
      // else the largest.
      auto leaf =
          std::ranges::find_if(pod.leaves.rbegin(), pod.leaves.rend(),
                               [&](const LeafBlocks& l) { return l.blocks.size() >= rest; });
      auto at = leaf == pod.leaves.rend() ? pod.leaves.begin() : std::prev(leaf.base());
      Order order = std::move(at->blocks);
      pod.leaves.erase(at);
      if (order.size() > rest) order.resize(rest);
      taken.count += order.size();
      taken.leaves.push_back({std::move(order)});
    }
    needed -= taken.count;
    chosen.push_back(std::move(taken));
  }
  return chosen;
}

Order flatten(const std::vector<PodBlocks>& pods) {
  Order order;
  for (const PodBlocks& pod : pods) {
    for (const LeafBlocks& leaf : pod.leaves)
      order.insert(order.end(), leaf.blocks.begin(), leaf.blocks.end());
  }
  return order;
}

/// Runs of `run` blocks below one leaf first, then runs of the remaining blocks of each pod, then
/// the rest.
Order in_runs(const std::vector<PodBlocks>& pods, std::size_t run) {
  Order order, rest;
  for (const PodBlocks& pod : pods) {
    Order pod_rest;
    for (const LeafBlocks& leaf : pod.leaves) {
      const auto full = static_cast<std::ptrdiff_t>(leaf.blocks.size() / run * run);
      order.insert(order.end(), leaf.blocks.begin(), leaf.blocks.begin() + full);
      pod_rest.insert(pod_rest.end(), leaf.blocks.begin() + full, leaf.blocks.end());
    }
    const auto full = static_cast<std::ptrdiff_t>(pod_rest.size() / run * run);
    order.insert(order.end(), pod_rest.begin(), pod_rest.begin() + full);
    rest.insert(rest.end(), pod_rest.begin() + full, pod_rest.end());
  }
  order.insert(order.end(), rest.begin(), rest.end());
  return order;
}

}  // namespace

std::vector<NodeBlocks> cut_into_blocks(const Tiers& tiers, std::span<const Rank> free,
                                        std::size_t ranks) {
  if (free.size() < ranks) {
    throw InputError("", "",
                     fmt::format("the job has {} ranks, but {} GPUs are free", ranks, free.size()),
                     "choose a smaller job or free more nodes");
  }
  std::map<std::uint32_t, std::vector<Rank>> by_node;
  std::vector<std::uint32_t> nodes;  // in the order given
  std::size_t widest = 0;
  for (const Rank gpu : free) {
    std::vector<Rank>& here = by_node[tiers.gpu_position(gpu).node];
    if (here.empty()) nodes.push_back(tiers.gpu_position(gpu).node);
    here.push_back(gpu);
    widest = std::max(widest, here.size());
  }
  std::vector<NodeBlocks> cuts;
  for (std::size_t block = std::min(widest, ranks); block > 0; --block) {
    if (ranks % block != 0) continue;
    NodeBlocks cut{.block = block};
    bool takes_whole_nodes = true;
    for (const std::uint32_t node : nodes) {
      const std::vector<Rank>& here = by_node[node];
      const auto full = static_cast<std::ptrdiff_t>(here.size() / block * block);
      takes_whole_nodes = takes_whole_nodes && here.size() == block;
      cut.gpus.insert(cut.gpus.end(), here.begin(), here.begin() + full);
    }
    if (cut.gpus.size() < ranks) continue;
    cuts.push_back(std::move(cut));
    if (takes_whole_nodes) break;
  }
  return cuts;
}

std::vector<std::vector<std::uint32_t>> block_orders(const Tiers& tiers, const NodeBlocks& blocks,
                                                     std::size_t needed) {
  std::vector<Order> orders;
  const auto add = [&](Order order) {
    order.resize(needed);
    if (std::ranges::find(orders, order) == orders.end()) orders.push_back(std::move(order));
  };
  const std::vector<PodBlocks> tree = by_tree(tiers, blocks);
  const std::vector<PodBlocks> chosen = compact(tree, needed);
  Order given(blocks.count());
  std::iota(given.begin(), given.end(), 0U);
  add(std::move(given));
  add(flatten(tree));
  add(flatten(chosen));
  for (std::size_t run = 2; run <= needed; run *= 2) add(in_runs(chosen, run));
  return orders;
}

std::vector<Rank> packed(const Tiers& tiers, std::span<const Rank> free, std::size_t ranks) {
  const NodeBlocks blocks = cut_into_blocks(tiers, free, ranks).front();
  std::vector<Rank> order;
  for (const std::uint32_t b : flatten(compact(by_tree(tiers, blocks), ranks / blocks.block)))
    order.insert(order.end(), blocks[b].begin(), blocks[b].end());
  const std::set<Rank> taken(order.begin(), order.end());
  std::ranges::copy_if(free, std::back_inserter(order),
                       [&](Rank gpu) { return !taken.contains(gpu); });
  return order;
}

}  // namespace railyard::placement
