#pragma once

#include <memory>
#include <span>
#include <vector>

#include "collectives/workload/communications.hpp"
#include "collectives/workload/workload_result.hpp"
#include "core/id.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::collectives {

/// The schedule of each load of a workload with rank r on gpus[r], for simulators, live backends
/// and exports. Positions in the schedule's group are positions in the load's transport (for a
/// message: 0 sends, 1 receives). nullptr if no bytes move. Elements are bfloat16, and bytes are
/// rounded up to whole elements on every rank. Groups with equal positions on their nodes share one
/// schedule of `source`.
[[nodiscard]] std::vector<std::unique_ptr<const Schedule>> load_schedules(
    const Communications& loads, const topology::Cluster& cluster, std::span<const Rank> gpus,
    const ScheduleSource& source);
/// The schedules of the loads `which`, in that order.
[[nodiscard]] std::vector<std::unique_ptr<const Schedule>> load_schedules(
    const Communications& loads, const topology::Cluster& cluster, std::span<const Rank> gpus,
    const ScheduleSource& source, std::span<const std::size_t> which);

}  // namespace railyard::collectives
