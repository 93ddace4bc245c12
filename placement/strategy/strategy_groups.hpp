#pragma once

#include <vector>

#include "placement/cost/group_shapes.hpp"
#include "placement/mapping/layouts.hpp"
#include "placement/mapping/rank_grid.hpp"

namespace railyard::placement {

/// Ranks of a strategy as Megatron-LM numbers them: tp-cp-ep-dp-pp, where ep is what of the expert
/// groups (ep x etp neighbours within a stage) lies beyond tp x cp, and dp x ep are the replicas.
[[nodiscard]] RankGrid strategy_grid(const Strategy& strategy);

/// The type of GPU of each rank; of the replicas those of the first class come first.
[[nodiscard]] std::vector<int> rank_types(const Strategy& strategy);

/// An order of dimensions as a layout of that grid.
[[nodiscard]] Layout layout_in(const Strategy& strategy, const DimensionOrder& order);

/// Who takes part in a strategy's collectives, in the numbering of strategy_grid: the members of
/// what group_shapes describes.
struct StrategyGroups {
  RankGroups tp, cp, dp, pp;
  RankGroups replicas;         ///< dp x cp: gradients of dense weights
  RankGroups shard;            ///< of the replicas those that share one copy; empty: all do
  RankGroups mirrors;          ///< those that hold the same part of each copy
  RankGroups ep;               ///< all-to-all of tokens
  RankGroups expert_replicas;  ///< gradients of experts
  RankGroups expert_shard, expert_mirrors;
  RankGroups embedding;  ///< first and last stage
  /// Those that do a role's collectives; the replicas where all of them share one copy.
  [[nodiscard]] const RankGroups& operator[](GroupRole role) const;
};
[[nodiscard]] StrategyGroups strategy_groups(const Strategy& strategy);

}  // namespace railyard::placement
