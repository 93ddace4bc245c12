#pragma once

#include <map>
#include <optional>
#include <span>

#include "placement/mapping/mapping.hpp"
#include "placement/model/job.hpp"
#include "placement/strategy/strategy.hpp"

namespace railyard::placement {

/// A strategy on GPUs.
struct Placed {
  Strategy strategy{};
  Mapping mapping{};
};

/// What has to move from one placement of a job to another: weights (2 or 4 bytes a parameter) and
/// optimizer state (12). A GPU keeps what it has of the layers and tensor slice that it needs; of
/// sharded optimizer state it has the part of its shard that falls into its new one where tensor
/// and pipeline sizes stay, else the share that chance gives.
struct Moves {
  double moved = 0;                    ///< bytes that arrive, over all GPUs
  double most = 0;                     ///< at the node that gets most
  std::map<NodeId, double> by_node{};  ///< of `moved`
  double checkpoint = 0;  ///< optimizer state that no GPU holds any more: from the last checkpoint
};
/// `left` are the GPUs that still exist, whether they are used or not.
[[nodiscard]] Moves moves_between(const Job& job, const topology::Cluster& cluster,
                                  const Placed& before, const Placed& after,
                                  std::span<const Rank> left);

/// Time until an option that moves more is ahead of one whose steps take longer: the extra time to
/// move over what a step gains, in steps of the option. Nothing where its steps are not shorter.
[[nodiscard]] std::optional<Time> payback_time(Time extra_move, Time step, Time other_step);

}  // namespace railyard::placement
