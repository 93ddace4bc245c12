#pragma once

#include <span>

#include "placement/cost/group_shapes.hpp"
#include "placement/mapping/mapping.hpp"
#include "placement/mixed/gpu_type.hpp"
#include "placement/mixed/mixed_strategy.hpp"

namespace railyard::placement {

/// The type of GPU of each rank, numbered as in strategy_grid (tp-cp-ep-dp-pp; replicas of the
/// first class first).
[[nodiscard]] std::vector<int> rank_types(const MixedStrategy& mixed);

/// The GPU of each rank: in the order of the dimensions each takes the next free GPU of its type.
[[nodiscard]] Mapping mixed_mapping(const MixedStrategy& mixed, std::span<const GpuType> types,
                                    const DimensionOrder& order = kDefaultOrder);

}  // namespace railyard::placement
