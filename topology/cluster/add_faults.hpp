#pragma once

#include <set>
#include <span>

#include "topology/cluster/faults.hpp"

namespace railyard::topology {

/// Appends the faults of `more` to `all`.
void add_faults(Faults& all, const Faults& more);

/// Nodes with a failed or degraded link inside the node (both ends on that node). They behave
/// differently from other nodes of the same shape, so results must not be shared between them.
[[nodiscard]] std::set<NodeId> nodes_with_faults(const Cluster& cluster,
                                                 std::span<const TimedFault> faults);

}  // namespace railyard::topology
