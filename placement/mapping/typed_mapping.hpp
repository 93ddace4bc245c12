#pragma once

#include <span>

#include "placement/cost/gpu_type.hpp"
#include "placement/cost/group_shapes.hpp"
#include "placement/mapping/mapping.hpp"
#include "placement/strategy/strategy.hpp"

namespace railyard::placement {

/// The type of GPU of each rank, numbered as in strategy_grid (tp-cp-ep-dp-pp; replicas of the
/// first class first).
[[nodiscard]] std::vector<int> rank_types(const Strategy& strategy);

/// The GPU of each rank: in the order of the dimensions each takes the next free GPU of its type.
[[nodiscard]] Mapping map_in_order(const Strategy& strategy, std::span<const GpuType> types,
                                   const DimensionOrder& order = kDefaultOrder);

}  // namespace railyard::placement
