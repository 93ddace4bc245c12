#include "placement/jobs/leaf_groups.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "topology/cluster/rank_list.hpp"

namespace railyard::placement {

std::vector<std::uint32_t> leaves_of(const Tiers& tiers, std::uint32_t node) {
  const std::size_t nodes = tiers.cluster().node_count();
  const std::uint32_t begin = tiers.first_nic(node);
  const std::uint32_t end =
      node + 1 < nodes ? tiers.first_nic(node + 1) : static_cast<std::uint32_t>(tiers.nic_count());
  std::vector<std::uint32_t> leaves;
  for (std::uint32_t nic = begin; nic < end; ++nic) leaves.push_back(tiers.nic(nic).leaf);
  return leaves;
}

std::size_t count_leaf_groups(const Tiers& tiers, std::span<const Rank> gpus) {
  std::set<std::vector<std::uint32_t>> groups;
  for (const std::uint32_t node : nodes_of(tiers.cluster(), gpus))
    groups.insert(leaves_of(tiers, node));
  return groups.size();
}

std::vector<bool> free_nodes(const PlaceProblem& problem) {
  std::vector<int> gpus(problem.cluster.node_count(), 0);
  for (const Rank gpu : problem.free()) ++gpus[problem.cluster.node_of(gpu).index()];
  std::vector<bool> free;
  for (std::size_t n = 0; n < gpus.size(); ++n)
    free.push_back(gpus[n] == problem.cluster.shape(NodeId(n)).gpu_count());
  return free;
}

std::vector<std::uint32_t> nodes_of(const topology::Cluster& cluster, std::span<const Rank> gpus) {
  std::vector<std::uint32_t> nodes;
  for (const Rank gpu : gpus) nodes.push_back(cluster.node_of(gpu).value());
  std::ranges::sort(nodes);
  const auto repeated = std::ranges::unique(nodes);
  nodes.erase(repeated.begin(), repeated.end());
  return nodes;
}

std::string node_list(const topology::Cluster& cluster, std::span<const Rank> gpus) {
  std::vector<Rank> numbers;  // a list of node numbers; ranks have the same text form
  for (const std::uint32_t node : nodes_of(cluster, gpus)) numbers.emplace_back(node);
  return topology::rank_list_text(numbers);
}

std::vector<LeafGroupUse> leaf_group_use(const PlaceProblem& problem, const Tiers& tiers,
                                         const Mapping& mapping) {
  const std::vector<bool> free = free_nodes(problem);
  std::vector<bool> used(free.size(), false);
  for (const std::uint32_t node : nodes_of(problem.cluster, mapping.gpus)) used[node] = true;
  std::map<std::vector<std::uint32_t>, LeafGroupUse> groups;
  for (std::uint32_t n = 0; n < free.size(); ++n) {
    const std::vector<std::uint32_t> leaves = leaves_of(tiers, n);
    LeafGroupUse& group = groups[leaves];
    ++group.nodes;
    group.free_before += free[n] ? 1 : 0;
    group.used += used[n] ? 1 : 0;
    group.free_after += free[n] && !used[n] ? 1 : 0;
    if (group.leaf.empty() && !leaves.empty() && leaves.front() != Tiers::kNone) {
      const std::string name = tiers.name(TrunkId(tiers.leaf_up(leaves.front())));
      group.leaf = name.substr(name.rfind(' ') + 1);
    }
  }
  std::vector<LeafGroupUse> uses;
  for (auto& [leaves, group] : groups)
    if (group.free_before + group.used > 0) uses.push_back(std::move(group));
  return uses;
}

}  // namespace railyard::placement
