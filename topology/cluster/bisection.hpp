#pragma once

#include "topology/cluster/graph.hpp"

namespace railyard::topology {

/// How `bisection` finds the flow. folded: the spines of a pod as one and the cores of a plane as
/// one, which is exact where every leaf is joined evenly to the spines of its class and these
/// evenly to the cores, as in all generated fabrics with nothing failed (docs/models/routing.md).
/// automatic: folded where it is exact, else full.
enum class BisectionMethod { automatic, full, folded };

/// The bisection bandwidth, one way: the maximum flow through the fabric from the NICs of the first
/// half of the nodes (rounded down) to the NICs of the others. Zero for a single node.
/// Asking for folded where it is not exact throws InputError.
[[nodiscard]] Cut bisection(const Cluster& cluster, const Faults& faults = {},
                            BisectionMethod method = BisectionMethod::automatic);

}  // namespace railyard::topology
