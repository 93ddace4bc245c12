#pragma once

#include <span>

#include "placement/cost/gpu_type.hpp"
#include "placement/cost/group_shapes.hpp"
#include "placement/mapping/mapping.hpp"
#include "placement/strategy/strategy.hpp"

namespace railyard::placement {

/// The free GPUs of each type.
[[nodiscard]] GpusByType free_gpus(std::span<const GpuType> types);

/// Maps the ranks of a strategy, in this order of the dimensions, each to the next GPU of its type.
[[nodiscard]] Mapping ordered_mapping(const Strategy& strategy, const GpusByType& gpus,
                                      const DimensionOrder& order = kDefaultOrder);

}  // namespace railyard::placement
