#pragma once

#include <array>
#include <string>
#include <string_view>

#include "placement/cost/communication.hpp"
#include "placement/strategy/strategy.hpp"

namespace railyard::placement {

/// A dimension along which ranks are numbered.
enum class Dimension { tp, cp, dp, pp };

/// Order of dimensions by the distance of their ranks: ranks of the first dimension are neighbours.
/// Megatron-LM's default is tp-cp-dp-pp.
using DimensionOrder = std::array<Dimension, 4>;
inline constexpr DimensionOrder kDefaultOrder{Dimension::tp, Dimension::cp, Dimension::dp,
                                              Dimension::pp};

/// Parses "tp-cp-dp-pp". Throws InputError at `where` unless each of the four dimensions is given
/// exactly once.
[[nodiscard]] DimensionOrder parse_order(std::string_view text, const std::string& where);
[[nodiscard]] std::string to_text(const DimensionOrder& order);

/// The size of a dimension in a strategy.
[[nodiscard]] int extent(const Strategy& strategy, Dimension dimension);

/// Shapes of a strategy's groups on nodes of `gpus_per_node` GPUs, with ranks in the given order. A
/// shape describes the group of rank 0.
struct GroupShapes {
  GroupShape tp{}, cp{}, dp{}, pp{};
  GroupShape replicas{};         ///< dp x cp: gradients of dense weights
  GroupShape shard{};            ///< replicas that share one copy of sharded state (shard_group)
  GroupShape mirrors{};          ///< ranks that hold the same shard of each copy
  GroupShape ep{};               ///< all-to-all of tokens
  GroupShape expert_replicas{};  ///< ranks with the same experts: gradients of
                                 ///< experts
  GroupShape expert_shard{}, expert_mirrors{};  ///< the same for experts
  GroupShape embedding{};                       ///< first and last stage
  [[nodiscard]] const GroupShape& operator[](GroupRole role) const;
};
/// Computes these shapes. `order`: numbering of the ranks.
[[nodiscard]] GroupShapes group_shapes(const Strategy& strategy, const DimensionOrder& order,
                                       int gpus_per_node);

}  // namespace railyard::placement
