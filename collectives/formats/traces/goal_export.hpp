#pragma once

#include <memory>
#include <span>
#include <string>

#include "collectives/schedule/schedule.hpp"
#include "collectives/workload/communications.hpp"

namespace railyard::collectives {

/// A workload as GOAL text for LogGOPSim and ATLAHS. `schedules`: by load (load_schedules). Every
/// collective becomes the messages of its schedule, between two operations without duration at its
/// begin and end on each rank. Computation, copies and host gaps become calc on the cpu of their
/// stream; compute_share and rate_share are ignored. A collective of 0 bytes becomes a message of 1
/// byte from each rank to the first of its group, and one back. Reducing switches become additional
/// ranks after those of the workload. The simulator determines whether a send waits for its
/// receiver. Throws InputError with the problems of check_workload(), and beyond 20 million
/// operations.
[[nodiscard]] std::string goal_of_workload(
    const Communications& communications,
    std::span<const std::unique_ptr<const Schedule>> schedules);

}  // namespace railyard::collectives
