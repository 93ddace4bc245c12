#pragma once

#include <memory>
#include <span>
#include <string>

#include "collectives/schedule/schedule.hpp"
#include "collectives/workload/communications.hpp"

namespace railyard::collectives {

/// A workload as GOAL text, so that LogGOPSim and ATLAHS run it. `schedules` by load
/// (load_schedules): every collective is written as the messages of its schedule, between an
/// operation without duration at its begin and one at its end on each rank. Computation, copies and
/// gaps of the host are calc on the cpu of their stream; their loss beside communication
/// (compute_share) and rate_share are not in it. A collective without bytes is a message of 1 byte
/// from each rank to the first of its group, and one back. Switches that reduce are ranks behind
/// those of the workload. Whether a send waits for its receiver is up to the simulator. Throws
/// InputError with what check_workload() finds, and beyond 20 million operations.
[[nodiscard]] std::string goal_of_workload(
    const Communications& communications,
    std::span<const std::unique_ptr<const Schedule>> schedules);

}  // namespace railyard::collectives
