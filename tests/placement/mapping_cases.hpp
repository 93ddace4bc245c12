#pragma once

#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "placement/mapping/evaluate.hpp"
#include "tests/topology/small_fabric.hpp"

namespace railyard::placement::testing {

/// A fabric whose links carry payload only, so that loads over bandwidth are round numbers.
inline topology::FabricSpec without_headers(topology::FabricSpec fabric) {
  fabric.packet_overhead = Bytes(0);
  return fabric;
}

/// All GPUs of a cluster, in order.
inline std::vector<Rank> all_gpus(const topology::Cluster& cluster) {
  std::vector<Rank> gpus;
  for (std::size_t r = 0; r < cluster.rank_count(); ++r) gpus.emplace_back(r);
  return gpus;
}

inline Mapping identity(std::size_t ranks) {
  Mapping mapping;
  for (std::size_t r = 0; r < ranks; ++r) mapping.gpus.emplace_back(r);
  return mapping;
}

/// Rank i on a GPU drawn at random.
inline Mapping shuffled(std::size_t ranks, std::uint64_t seed) {
  Mapping mapping = identity(ranks);
  std::mt19937_64 random(seed);
  for (std::size_t i = ranks; i > 1; --i)
    std::swap(mapping.gpus[i - 1], mapping.gpus[random() % i]);
  return mapping;
}

/// The nodes of a cluster in random order.
inline std::vector<NodeId> shuffled_nodes(std::size_t nodes, std::uint64_t seed) {
  std::vector<NodeId> order;
  for (std::size_t n = 0; n < nodes; ++n) order.emplace_back(n);
  std::mt19937_64 random(seed);
  for (std::size_t i = nodes; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  return order;
}

/// One group of all ranks.
inline TrafficPhase one_group(TrafficPattern pattern, std::size_t ranks, Bytes bytes) {
  std::vector<JobRank> members;
  for (std::size_t r = 0; r < ranks; ++r) members.emplace_back(r);
  return {.name = "all", .traffic = {{pattern, RankGroups(members, ranks), bytes}}};
}

}  // namespace railyard::placement::testing
