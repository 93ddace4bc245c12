#pragma once

#include <functional>

#include "core/units.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::placement {

/// The time of computation that a trace gives as operations and bytes of memory, on the GPU of the
/// cluster's first node:
///
///     t = max(operations / (peak * matrix_efficiency), bytes through memory)
///
/// (docs/models/compute.md). The GPU is read at the first call, which throws InputError where
/// configs/gpus lacks it: traces without such computation need none. The cluster must outlive it.
[[nodiscard]] std::function<Time(double operations, double bytes)> operation_price(
    const topology::Cluster& cluster);

}  // namespace railyard::placement
