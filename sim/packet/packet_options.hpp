#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/packet/faults/pause_storm.hpp"
#include "sim/packet/packet_records.hpp"
#include "sim/packet/parameters.hpp"
#include "sim/run_watch.hpp"
#include "topology/cluster/faults.hpp"
#include "topology/routing/routing.hpp"

namespace railyard::sim::packet {

/// How PacketNetwork simulates.
struct PacketOptions {
  topology::RoutingOptions routing = {};
  topology::Faults faults = {};                         ///< from the start
  std::vector<topology::TimedFault> later_faults = {};  ///< during the run, by time
  std::vector<PauseStorm> storms = {};
  Time convergence = {};  ///< from a failure during the run until routing avoids the link
  Parameters parameters = {};
  /// Traffic class of each task that is a message (collectives::kMessage), in their order; 0 for
  /// those behind the last one. Collectives have NicParameters::collective_class.
  std::vector<std::uint32_t> message_classes = {};
  /// Whether the destination of each message reads it (RDMA read), in their order; else, and for
  /// those behind the last one, the source writes it.
  std::vector<bool> message_reads = {};
  bool is_path_choice_asked = false;  ///< by a flag: refused where nothing is sprayed
  /// Extrapolate steady states of long rings (FastForward).
  bool fast_forward = true;
  bool timeline = false;                     ///< fill Run::timeline
  std::shared_ptr<PacketRecords> records{};  ///< where set: filled by a run
  /// Of one run; the result is the same. Small runs and those that threads cannot share use one.
  int threads = 1;
  /// Told the share of bytes that are delivered. A run that it stops returns what it knows, with a
  /// note.
  RunWatch watch{};
  Announce announce{};
};

}  // namespace railyard::sim::packet
