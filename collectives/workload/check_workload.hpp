#pragma once

#include <vector>

#include "collectives/workload/workload.hpp"
#include "core/diagnostic.hpp"

namespace railyard::collectives {

/// What would keep a workload from ending, rank and operation named: sends without a receive and
/// receives without a send, messages and collectives whose ranks disagree in bytes or kind, ranks
/// of a group that leave a collective out or do two in another order (the deadlock that NCCL would
/// have), operations that wait for each other in a circle. Empty: it ends, for any durations.
[[nodiscard]] std::vector<Diagnostic> check_workload(const Workload& workload);

}  // namespace railyard::collectives
