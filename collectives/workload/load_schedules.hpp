#pragma once

#include <memory>
#include <span>
#include <vector>

#include "collectives/workload/communications.hpp"
#include "collectives/workload/workload_result.hpp"
#include "core/id.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::collectives {

/// The schedule of each load of a workload whose rank r sits on gpus[r]: what simulators, live
/// backends and exports of its collectives and messages share. Positions of the schedule's group
/// are positions in the load's transport (of a message: 0 sends, 1 receives). nullptr where nothing
/// moves: no bytes, or a group of one rank. Elements are bfloat16, and bytes are rounded up to
/// whole elements on every rank. Groups that lie alike on their nodes share an answer of `source`.
[[nodiscard]] std::vector<std::unique_ptr<const Schedule>> load_schedules(
    const Communications& loads, const topology::Cluster& cluster, std::span<const Rank> gpus,
    const ScheduleSource& source);
/// Those of the loads `which`, in that order.
[[nodiscard]] std::vector<std::unique_ptr<const Schedule>> load_schedules(
    const Communications& loads, const topology::Cluster& cluster, std::span<const Rank> gpus,
    const ScheduleSource& source, std::span<const std::size_t> which);

}  // namespace railyard::collectives
