#pragma once

#include <set>
#include <span>

#include "topology/cluster/faults.hpp"

namespace railyard::topology {

/// Appends the faults of `more` to `all`.
void add_faults(Faults& all, const Faults& more);

/// Nodes that have a failed or degraded link inside, so that they differ from others of their
/// shape.
[[nodiscard]] std::set<NodeId> nodes_with_faults(const Cluster& cluster,
                                                 std::span<const TimedFault> faults);

}  // namespace railyard::topology
