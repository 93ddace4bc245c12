#include "collectives/schedule/group.hpp"

#include <fmt/format.h>

#include <limits>

#include "core/diagnostic.hpp"

namespace railyard::collectives {
namespace {

void check(const topology::Cluster& cluster, std::span<const Rank> ranks) {
  Diagnostics problems("");
  if (ranks.empty()) problems.add("ranks", "a group needs at least one rank");
  std::vector<std::uint8_t> seen(cluster.rank_count(), 0);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i].index() >= seen.size()) {
      problems.add(fmt::format("ranks/{}", i),
                   fmt::format("rank {} does not exist in the cluster of {} GPUs", ranks[i].value(),
                               seen.size()),
                   fmt::format("ranks are 0 to {}", seen.size() - 1));
    } else if (seen[ranks[i].index()]++ != 0) {
      problems.add(fmt::format("ranks/{}", i),
                   fmt::format("rank {} appears twice in the group", ranks[i].value()));
    }
  }
  problems.throw_if_any();
}

}  // namespace

Group::Group(const topology::Cluster& cluster, std::vector<Rank> ranks) : ranks_(std::move(ranks)) {
  check(cluster, ranks_);
  constexpr std::uint32_t kUnseen = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> index_of_node(cluster.node_count(), kUnseen);
  node_index_.reserve(ranks_.size());
  for (const Rank rank : ranks_) {
    const NodeId node = cluster.node_of(rank);
    std::uint32_t& index = index_of_node[node.index()];
    if (index == kUnseen) {
      index = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back({.node = node});
    }
    ++nodes_[index].count;
    node_index_.push_back(index);
  }
  for (std::size_t i = 1; i < nodes_.size(); ++i) {
    nodes_[i].first = nodes_[i - 1].first + nodes_[i - 1].count;
  }
  positions_by_node_.resize(ranks_.size());
  std::vector<std::uint32_t> filled(nodes_.size(), 0);
  for (std::uint32_t position = 0; position < size(); ++position) {
    const std::uint32_t node = node_index_[position];
    positions_by_node_[nodes_[node].first + filled[node]++] = position;
  }
}

Group Group::first(const topology::Cluster& cluster, std::size_t count) {
  if (count > cluster.rank_count()) {
    throw InputError(
        "", "--gpus",
        fmt::format("{} GPUs are requested, but the cluster has {}", count, cluster.rank_count()),
        "add nodes with --nodes");
  }
  std::vector<Rank> ranks;
  ranks.reserve(count);
  for (std::size_t i = 0; i < count; ++i) ranks.emplace_back(i);
  return {cluster, std::move(ranks)};
}

}  // namespace railyard::collectives
