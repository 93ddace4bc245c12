#pragma once

#include "collectives/workload/workload.hpp"

namespace railyard::collectives {

/// Gives ranks whose programs are equal one program and one role. Peers of messages become offsets
/// in their group first, so that the ranks of a ring are alike.
void fold_programs(Workload::Parts& parts);

}  // namespace railyard::collectives
