#pragma once

#include <span>
#include <vector>

#include "collectives/workload/communications.hpp"
#include "core/units.hpp"
#include "sim/analytic/analytic_network.hpp"
#include "sim/workload/workload_options.hpp"

namespace railyard::sim {

/// What a load takes by itself with a share of its rate:
///
///     T(s) = latency / s + max(at_hosts / s, total - latency)
///
/// Kernels and frameworks hold back what hosts send and receive, not what links between switches
/// carry. So a share hides collisions, of the load's own connections as of those of others.
/// Example: two of eight connections of a ring collide on an uplink, which doubles the 10 ms of its
/// ports. With a share of 0.57 it takes max(10 / 0.57, 20) = 20 ms.
[[nodiscard]] Time time_with_share(const AloneTime& load, float share);
/// Its first term.
[[nodiscard]] Time latency_with_share(const AloneTime& load, float share);

/// By load of a workload: what it takes by itself and what it puts on links, by the schedule that
/// the library would choose. Groups that lie alike on their nodes share a choice; the connections
/// of a group (its hashes) are the same for all sizes. A message takes the path of the first
/// transfer of a send_recv between the two. What has no bytes to move takes no time.
///
/// With a pace: its launch and latency, then max(its bytes, max over links l of B(l) / C(l)), C(l)
/// in nodes the line rate.
[[nodiscard]] std::vector<AloneTime> load_profiles(const topology::Cluster& cluster,
                                                   const collectives::Communications& loads,
                                                   std::span<const Rank> gpus,
                                                   const WorkloadOptions& options);

}  // namespace railyard::sim
