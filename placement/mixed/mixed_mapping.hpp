#pragma once

#include <span>

#include "placement/mapping/mapping.hpp"
#include "placement/mixed/gpu_type.hpp"
#include "placement/mixed/mixed_strategy.hpp"

namespace railyard::placement {

/// The GPU of each rank, numbered as in strategy_grid (tp-cp-ep-dp-pp; replicas of the first class
/// first): every tensor and context group takes the next free GPUs of its type.
[[nodiscard]] Mapping mixed_mapping(const MixedStrategy& mixed, std::span<const GpuType> types);

}  // namespace railyard::placement
