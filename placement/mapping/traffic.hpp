#pragma once

#include <string>
#include <vector>

#include "core/units.hpp"
#include "placement/mapping/rank_grid.hpp"

namespace railyard::placement {

/// Who sends to whom inside a group.
/// ring: a pipelined ring as NCCL builds it: nodes in the order of their first rank, each once, one
/// channel per GPU that all nodes of the group have in common; inside a node from GPU to GPU.
/// chain: each rank and its neighbours, both ways (pipeline stages).
/// all_to_all: every pair.
enum class TrafficPattern { ring, chain, all_to_all };

[[nodiscard]] std::string_view to_text(TrafficPattern pattern);

/// Traffic of one kind in each of several groups at the same time.
struct Traffic {
  TrafficPattern pattern = TrafficPattern::ring;
  RankGroups groups;
  /// ring: sent by each rank to its successor (see ring_bytes); chain: over each pair of
  /// neighbours, in each direction; all_to_all: the buffer of a rank, of which each of n ranks gets
  /// 1/n.
  Bytes bytes{};
};

/// What communicates at the same time, and how often in a step.
struct TrafficPhase {
  std::string name;
  std::vector<Traffic> traffic;
  int count = 1;
};

/// What a rank sends to its successor in a ring of n: all_reduce 2 (n-1)/n of the buffer;
/// reduce_scatter and all_gather (n-1)/n of the whole buffer. 0 for n = 1.
[[nodiscard]] Bytes all_reduce_ring_bytes(Bytes buffer, std::size_t ranks);
[[nodiscard]] Bytes all_gather_ring_bytes(Bytes buffer, std::size_t ranks);

}  // namespace railyard::placement
