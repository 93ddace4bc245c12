#pragma once

#include <span>
#include <utility>
#include <vector>

#include "collectives/schedule/executor.hpp"
#include "core/id.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::sim {

/// Wire bytes that a task puts on links.
using TaskBytes = std::vector<std::pair<LinkId, double>>;

/// Makes room for what tasks put on the same links, each timed as if it ran alone. Let the tasks on
/// link l run from the first of their starts to the last of their finishes, W seconds, and carry B
/// bytes over it at C(l) B/s. Where B/C > W, all of them finish B/C - W later; for each task its
/// worst link counts.
///
/// Example: two tasks of 50 MB each on a link of 50 GB/s, 1 ms each, start together: W = 1 ms, B/C
/// = 2 ms, so both take 2 ms, as with fair sharing. A third on other links keeps its time.
void share_links(const topology::Cluster& cluster, std::span<const double> capacities,
                 std::span<const TaskBytes> bytes, std::span<collectives::TaskResult> tasks);

}  // namespace railyard::sim
