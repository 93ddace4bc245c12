#include "apps/place/node_use.hpp"

#include <algorithm>
#include <set>

#include "apps/place/mapped.hpp"

namespace railyard::apps {

using placement::Tiers;

std::vector<std::uint32_t> leaves_of(const Tiers& tiers, std::uint32_t node) {
  const std::size_t nodes = tiers.cluster().node_count();
  const std::uint32_t begin = tiers.first_nic(node);
  const std::uint32_t end =
      node + 1 < nodes ? tiers.first_nic(node + 1) : static_cast<std::uint32_t>(tiers.nic_count());
  std::vector<std::uint32_t> leaves;
  for (std::uint32_t nic = begin; nic < end; ++nic) leaves.push_back(tiers.nic(nic).leaf);
  return leaves;
}

std::vector<bool> free_nodes(const Question& q) {
  std::vector<int> gpus(q.cluster.node_count(), 0);
  for (const Rank gpu : q.free) ++gpus[q.cluster.node_of(gpu).index()];
  std::vector<bool> free;
  for (std::size_t n = 0; n < gpus.size(); ++n)
    free.push_back(gpus[n] == q.cluster.shape(NodeId(n)).gpu_count());
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
  placement::Mapping numbers;  // of nodes, to be written like ranks
  for (const std::uint32_t node : nodes_of(cluster, gpus)) numbers.gpus.emplace_back(node);
  return rank_list_text(numbers);
}

std::size_t count_units(const Tiers& tiers, std::span<const Rank> gpus) {
  std::set<std::vector<std::uint32_t>> units;
  for (const std::uint32_t node : nodes_of(tiers.cluster(), gpus))
    units.insert(leaves_of(tiers, node));
  return units.size();
}

}  // namespace railyard::apps
