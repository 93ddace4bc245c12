#pragma once

#include <vector>

#include "placement/cost/group_shapes.hpp"
#include "placement/mapping/layouts.hpp"
#include "placement/mapping/rank_grid.hpp"

namespace railyard::placement {

/// Ranks of a strategy in the numbering of Megatron-LM: tp-cp-ep-dp-pp. `ep` is the part of the
/// expert groups (ep x etp neighbours within a stage) beyond tp x cp; dp x ep are the replicas.
[[nodiscard]] RankGrid strategy_grid(const Strategy& strategy);

/// The type of GPU of each rank; replicas of the first class come first.
[[nodiscard]] std::vector<int> rank_types(const Strategy& strategy);

/// An order of dimensions as a layout of strategy_grid.
[[nodiscard]] Layout layout_in(const Strategy& strategy, const DimensionOrder& order);

/// The members of the groups that group_shapes describes, in the numbering of strategy_grid.
struct StrategyGroups {
  RankGroups tp, cp, dp, pp;
  RankGroups replicas;  ///< dp x cp: they sum gradients of dense weights
  RankGroups shard;     ///< replicas that share one copy of the sharded state; empty: all of them
  RankGroups mirrors;   ///< ranks that hold the same part of each copy
  RankGroups ep;        ///< all-to-all of tokens
  RankGroups expert_replicas;  ///< they sum gradients of experts
  RankGroups expert_shard, expert_mirrors;
  RankGroups embedding;  ///< first and last stage
  /// The groups of a role's collectives; all replicas if they share one copy.
  [[nodiscard]] const RankGroups& operator[](GroupRole role) const;
};
[[nodiscard]] StrategyGroups strategy_groups(const Strategy& strategy);

}  // namespace railyard::placement
