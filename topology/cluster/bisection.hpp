#pragma once

#include "topology/cluster/graph.hpp"

namespace railyard::topology {

/// How `bisection` models the switches. full: one vertex per switch. folded: one vertex for all
/// spines of a class (the spines above the same leaves, in generated fabrics a pod) and one for all
/// cores of a plane. Folding is exact where each leaf has equal capacity to each of its spines, all
/// spines of a class have equal capacity to the cores, and each core has equal capacity to every
/// spine of a class, in both directions. All generated fabrics without faults satisfy this
/// (docs/models/routing.md). automatic: folded where it is exact, else full.
enum class BisectionMethod { automatic, full, folded };

/// The bisection bandwidth of the fabric in one direction: the maximum flow from the NICs of the
/// first half of the nodes (rounded down) to the NICs of the other nodes, and a minimum cut that
/// proves it. Zero for a single node. Throws InputError if `method` is folded and folding is not
/// exact.
[[nodiscard]] Cut bisection(const Cluster& cluster, const Faults& faults = {},
                            BisectionMethod method = BisectionMethod::automatic);

}  // namespace railyard::topology
