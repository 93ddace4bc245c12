#pragma once

#include <memory>
#include <span>
#include <vector>

#include "collectives/workload/communications.hpp"
#include "collectives/workload/workload_result.hpp"
#include "core/id.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::collectives {

/// The schedule of each load of a workload, with workload rank r on gpus[r]. Used by simulators,
/// live backends and exports. A position in the schedule's group is the position in the load's
/// transport (for a message: 0 sends and 1 receives). nullptr if the load moves no bytes. Elements
/// are bfloat16; bytes are rounded up to whole elements on every rank. Groups with the same
/// positions on their nodes share one schedule from `source`.
[[nodiscard]] std::vector<std::unique_ptr<const Schedule>> load_schedules(
    const Communications& loads, const topology::Cluster& cluster, std::span<const Rank> gpus,
    const ScheduleSource& source);
/// The schedules of only the loads `which`, in that order.
[[nodiscard]] std::vector<std::unique_ptr<const Schedule>> load_schedules(
    const Communications& loads, const topology::Cluster& cluster, std::span<const Rank> gpus,
    const ScheduleSource& source, std::span<const std::size_t> which);

}  // namespace railyard::collectives
