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

/// Options of PacketNetwork.
struct PacketOptions {
  topology::RoutingOptions routing = {};
  topology::Faults faults = {};                         ///< from the start
  std::vector<topology::TimedFault> later_faults = {};  ///< during the run, ordered by time
  std::vector<PauseStorm> storms = {};
  Time convergence = {};  ///< time from a link's failure during the run until routing avoids it
  Parameters parameters = {};
  /// The traffic class of each message task (collectives::kMessage), in order; 0 for further
  /// messages. Collectives use NicParameters::collective_class.
  std::vector<std::uint32_t> message_classes = {};
  /// For each message task, in order: whether the destination reads it (RDMA read). Otherwise, and
  /// for further messages, the source writes it.
  std::vector<bool> message_reads = {};
  bool is_path_choice_asked = false;  ///< a flag sets the path choice; an error if no traffic is
                                      ///< sprayed
  /// Extrapolate steady states of long rings (FastForward).
  bool fast_forward = true;
  bool timeline = false;                     ///< fill Run::timeline
  std::shared_ptr<PacketRecords> records{};  ///< if set, a run fills it
  /// Threads of one run; the result does not depend on them. Small runs, and runs that cannot be
  /// divided, use one.
  int threads = 1;
  /// Receives the fraction of delivered bytes. A run that it stops returns the results so far, with
  /// a note.
  RunWatch watch{};
  Announce announce{};
};

}  // namespace railyard::sim::packet
