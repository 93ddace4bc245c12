#pragma once

#include <span>
#include <utility>
#include <vector>

#include "collectives/schedule/executor.hpp"
#include "core/id.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::sim {

/// The wire bytes of a task on each link.
using TaskBytes = std::vector<std::pair<LinkId, double>>;

/// Delays tasks that share links; each was timed as if it ran alone. Consider the tasks on link l.
/// Let W be the seconds from the first of their starts to the last of their finishes, and B the
/// total bytes that they send over the link of capacity C(l) B/s. If B/C > W, all of them finish
/// B/C - W later. If a task has several such links, the longest delay counts.
///
/// Example: two tasks of 50 MB each start together on a link of 50 GB/s; each alone takes 1 ms.
/// Then W = 1 ms and B/C = 2 ms, so both take 2 ms, as with fair sharing. A third task on other
/// links keeps its time.
void share_links(const topology::Cluster& cluster, std::span<const double> capacities,
                 std::span<const TaskBytes> bytes, std::span<collectives::TaskResult> tasks);

}  // namespace railyard::sim
