#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/schedule/schedule.hpp"
#include "collectives/traffic/flow.hpp"
#include "core/units.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::collectives {

/// Context in which a description of traffic is read.
struct TrafficRequest {
  const topology::Cluster& cluster;
  std::uint32_t ranks = 0;  ///< of the cluster, the first ones
  std::uint64_t seed = 1;
  std::string flag;  ///< for errors: "--traffic"
};

/// Reads traffic: the name of a file in htsim's format of connection matrices, or a pattern
///
///     permutation,bytes=2M                    each rank sends to another one (derangement)
///     incast,bytes=1M,senders=8,to=0          the next `senders` ranks after `to` send to it
///     poisson,load=0.5,bytes=64K,until=1ms    random pairs on different nodes
///     poisson,load=0.5,sizes=FILE,until=1ms   with random sizes
///
/// Patterns take `start=TIME`, patterns and files `class=N`: the traffic class, 0 to 7, and
/// `verb=read` or `write`: whether destinations read or sources write. `load` is
/// relative to the NICs' rate per rank. Throws InputError, for a file with the line.
[[nodiscard]] std::vector<Flow> read_traffic(const std::string& text,
                                             const TrafficRequest& request);

/// The algorithm of the schedule of a flow. Packet simulation posts a message at its start, without
/// the launch of a kernel and the overhead of its steps.
inline constexpr std::string_view kMessage = "message";

/// The schedule of one flow: a broadcast from its source to a group of two.
[[nodiscard]] Schedule schedule_of(const topology::Cluster& cluster, const Flow& flow);

}  // namespace railyard::collectives
