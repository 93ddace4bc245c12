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

/// The context in which a traffic description is read.
struct TrafficRequest {
  const topology::Cluster& cluster;
  std::uint32_t ranks = 0;  ///< the first ranks of the cluster
  std::uint64_t seed = 1;
  std::string flag;  ///< the flag that errors name: "--traffic"
};

/// Reads a traffic description: a file in htsim's format of connection matrices, or one of the
/// patterns
///
///     permutation,bytes=2M                    each rank sends to another one (derangement)
///     incast,bytes=1M,senders=8,to=0          the next `senders` ranks after `to` send to it
///     poisson,load=0.5,bytes=64K,until=1ms    random pairs on different nodes
///     poisson,load=0.5,sizes=FILE,until=1ms   with random sizes
///
/// Options of patterns: `start=TIME`. Options of patterns and files: `class=N`, the traffic class
/// from 0 to 7, and `verb=write` (sources write) or `verb=read` (destinations read). `load` is a
/// fraction of the NICs' rate per rank. Throws InputError, with the line if it is in a file.
[[nodiscard]] std::vector<Flow> read_traffic(const std::string& text,
                                             const TrafficRequest& request);

/// The algorithm name of a flow's schedule. Packet simulation posts such a message at its start
/// time, without a kernel launch or step overheads.
inline constexpr std::string_view kMessage = "message";

/// The schedule of one flow: a broadcast in a group of its source and destination.
[[nodiscard]] Schedule schedule_of(const topology::Cluster& cluster, const Flow& flow);

}  // namespace railyard::collectives
