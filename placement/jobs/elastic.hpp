#pragma once

#include <map>
#include <optional>
#include <span>

#include "placement/mapping/mapping.hpp"
#include "placement/model/job.hpp"
#include "placement/strategy/strategy.hpp"

namespace railyard::placement {

/// A strategy and the GPUs of its ranks.
struct Placed {
  Strategy strategy{};
  Mapping mapping{};
};

/// Bytes that move when a job changes from one placement to another: weights (2 or 4 bytes per
/// parameter) and optimizer state (12). A GPU keeps the layers and tensor slices that it already
/// has and still needs. Sharded optimizer state: if tensor and pipeline sizes stay, it keeps the
/// overlap of its old and new shard; otherwise the expected overlap of random shards, 1 / (old ·
/// new shards).
struct Moves {
  double moved = 0;                    ///< bytes that arrive, over all GPUs
  double most = 0;                     ///< bytes at the node that receives most
  std::map<NodeId, double> by_node{};  ///< bytes that arrive, by node
  double checkpoint = 0;  ///< bytes of optimizer state on no remaining GPU, from the checkpoint
};
/// `left` are the GPUs that still exist, whether they are used or not.
[[nodiscard]] Moves moves_between(const Job& job, const topology::Cluster& cluster,
                                  const Placed& before, const Placed& after,
                                  std::span<const Rank> left);

/// Time until an option that takes longer to move is ahead of one with longer steps. It needs
/// n = ceil(extra_move / (other_step - step)) steps: extra_move + n · step. Empty if its
/// steps are not shorter.
[[nodiscard]] std::optional<Time> payback_time(Time extra_move, Time step, Time other_step);

}  // namespace railyard::placement
