#pragma once

#include "topology/cluster/faults.hpp"

namespace railyard::topology {

/// Appends the faults of `more` to `all`.
void add_faults(Faults& all, const Faults& more);

}  // namespace railyard::topology
