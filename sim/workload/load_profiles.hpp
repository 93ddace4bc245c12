#pragma once

#include <span>
#include <vector>

#include "collectives/workload/communications.hpp"
#include "core/units.hpp"
#include "sim/analytic/analytic_network.hpp"
#include "sim/workload/workload_options.hpp"

namespace railyard::sim {

/// The time of a load alone, with a share s of its rate:
///
///     T(s) = latency / s + max(at_hosts / s, total - latency)
///
/// Kernels and frameworks limit sends and receives of hosts, not links between switches. So a share
/// below 1 can hide hash collisions. Example: two of eight connections of a ring collide on an
/// uplink, which doubles the 10 ms of its ports. With a share of 0.57 it takes max(10 / 0.57, 20) =
/// 20 ms.
[[nodiscard]] Time time_with_share(const IsolatedTime& load, float share);
/// The first term of time_with_share().
[[nodiscard]] Time latency_with_share(const IsolatedTime& load, float share);

/// By load of a workload: its time alone and its bytes on links, for the schedule that the library
/// would choose. Groups with equal positions on their nodes share a choice. The connections of a
/// group (its hashes) are the same for all sizes. A message uses the path of the first transfer of
/// a send_recv between the two ranks. A load without bytes takes no time.
///
/// With a pace, the time is launch + latency + max(time of the bytes by the pace, max over links l
/// of B(l) / C(l)); inside nodes C(l) is the line rate.
[[nodiscard]] std::vector<IsolatedTime> load_profiles(const topology::Cluster& cluster,
                                                      const collectives::Communications& loads,
                                                      std::span<const Rank> gpus,
                                                      const WorkloadOptions& options);

}  // namespace railyard::sim
