#pragma once

#include "collectives/workload/workload.hpp"

namespace railyard::collectives {

/// Merges equal programs of ranks into one program and one role. First converts peers of messages
/// to offsets in their group, so that all ranks of a ring have equal programs.
void fold_programs(Workload::Parts& parts);

}  // namespace railyard::collectives
