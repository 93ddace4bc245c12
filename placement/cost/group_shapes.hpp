#pragma once

#include <array>
#include <string>
#include <string_view>

#include "placement/cost/communication.hpp"
#include "placement/strategy/strategy.hpp"

namespace railyard::placement {

enum class Dimension { tp, cp, dp, pp };

/// Which dimension's ranks are neighbours: the first varies fastest along the GPUs of a cluster.
/// Megatron's default is tp-cp-dp-pp.
using DimensionOrder = std::array<Dimension, 4>;
inline constexpr DimensionOrder kDefaultOrder{Dimension::tp, Dimension::cp, Dimension::dp,
                                              Dimension::pp};

/// "tp-cp-dp-pp". Throws InputError at `where` for anything else than the four dimensions once
/// each.
[[nodiscard]] DimensionOrder parse_order(std::string_view text, const std::string& where);
[[nodiscard]] std::string to_text(const DimensionOrder& order);

/// The extent of a dimension.
[[nodiscard]] int extent(const Strategy& strategy, Dimension dimension);

/// Shapes of a strategy's groups on nodes of `gpus_per_node` GPUs, where ranks follow the order.
struct GroupShapes {
  GroupShape tp{}, cp{}, dp{}, pp{};
  GroupShape replicas{};  ///< dp x cp: gradients of dense weights
  GroupShape shard{};     ///< of the replicas those that share one copy (shard_group); or all
  GroupShape mirrors{};   ///< those that hold the same part of each copy
  GroupShape ep{};        ///< all-to-all of tokens
  GroupShape expert_replicas{};                 ///< gradients of experts
  GroupShape expert_shard{}, expert_mirrors{};  ///< of those the same
  GroupShape embedding{};                       ///< first and last stage
  [[nodiscard]] const GroupShape& operator[](GroupRole role) const;
};
[[nodiscard]] GroupShapes group_shapes(const Strategy& strategy, const DimensionOrder& order,
                                       int gpus_per_node);

}  // namespace railyard::placement
