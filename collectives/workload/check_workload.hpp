#pragma once

#include <vector>

#include "collectives/workload/workload.hpp"
#include "core/diagnostic.hpp"

namespace railyard::collectives {

/// Finds problems that prevent a workload from ending, with rank and operation: unmatched sends and
/// receives, messages and collectives with different bytes or kinds on their ranks, ranks of a
/// group that omit a collective or run two in a different order (a deadlock in NCCL), and circular
/// dependencies. If there are none, the workload ends for any durations.
[[nodiscard]] std::vector<Diagnostic> check_workload(const Workload& workload);

}  // namespace railyard::collectives
