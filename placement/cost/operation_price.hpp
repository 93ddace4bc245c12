#pragma once

#include <functional>

#include "core/units.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::placement {

/// Time of a computation that a trace describes by operations and bytes of memory traffic, on the
/// GPU of the cluster's first node:
///
///     t = max(operations / (peak * matrix_efficiency), bytes / memory bandwidth)
///
/// (docs/models/compute.md). The GPU's config is read at the first call, which throws InputError if
/// configs/gpus does not contain it. The cluster must outlive the function.
[[nodiscard]] std::function<Time(double operations, double bytes)> operation_price(
    const topology::Cluster& cluster);

}  // namespace railyard::placement
