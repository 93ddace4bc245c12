#pragma once

#include <string>

#include "collectives/formats/traces/goal_program.hpp"
#include "collectives/formats/traces/trace_import.hpp"

namespace railyard::collectives {

/// A GOAL program as a workload: a role per rank; messages on no stream, as they wait for what they
/// require only; the computation of a cpu on a stream of its own. Sends are buffered, as the eager
/// messages of LogGOPSim: what requires one begins with it. Throws InputError for operations of a
/// rank that wait for each other, and for receives from any source that no send is left for.
[[nodiscard]] ImportedWorkload workload_of_goal(GoalProgram program, const std::string& file);

}  // namespace railyard::collectives
