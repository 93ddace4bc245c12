#pragma once

#include <string>
#include <vector>

#include "core/units.hpp"
#include "placement/mapping/rank_grid.hpp"

namespace railyard::placement {

/// The pattern of a group. ring: a pipelined ring as NCCL builds it, with nodes in the order of
/// their first rank and one channel per GPU that all nodes of the group have; inside a node from
/// GPU to GPU. chain: each rank and its neighbours, in both directions (pipeline stages).
/// all_to_all: every pair.
enum class TrafficPattern { ring, chain, all_to_all };

/// Text: "ring", "chain" or "all_to_all".
[[nodiscard]] std::string_view to_text(TrafficPattern pattern);

/// Traffic of one kind in several groups at the same time.
struct Traffic {
  TrafficPattern pattern = TrafficPattern::ring;
  RankGroups groups;
  /// ring: bytes from each rank to its successor (see ring_bytes); chain: bytes between each pair
  /// of neighbours, per direction; all_to_all: the buffer of a rank, of which each of n ranks gets
  /// 1/n.
  Bytes bytes{};
};

/// Concurrent traffic, and how often it occurs in a step.
struct TrafficPhase {
  std::string name;
  std::vector<Traffic> traffic;
  int count = 1;
};

/// Bytes from a rank to its successor in a ring of n: all_reduce 2 (n-1)/n of the buffer;
/// reduce_scatter and all_gather (n-1)/n of the whole buffer. 0 for n = 1.
[[nodiscard]] Bytes all_reduce_ring_bytes(Bytes buffer, std::size_t ranks);
[[nodiscard]] Bytes all_gather_ring_bytes(Bytes buffer, std::size_t ranks);

}  // namespace railyard::placement
