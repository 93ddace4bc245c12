#pragma once

#include <string>

#include "collectives/formats/traces/goal_program.hpp"
#include "collectives/formats/traces/trace_import.hpp"

namespace railyard::collectives {

/// Converts a GOAL program into a workload with a role per rank. Messages have no stream, only
/// dependencies. Each cpu is a stream. Sends are buffered, as eager messages in LogGOPSim: their
/// dependents begin when the send begins. Throws InputError for circular dependencies of a rank,
/// and for receives from any source without a matching send.
[[nodiscard]] ImportedWorkload workload_of_goal(GoalProgram program, const std::string& file);

}  // namespace railyard::collectives
