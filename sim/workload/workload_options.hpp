#pragma once

#include <cstdint>
#include <optional>

#include "collectives/schedule/pace.hpp"
#include "collectives/workload/workload_result.hpp"
#include "sim/packet/packet_options.hpp"
#include "sim/run_watch.hpp"
#include "topology/cluster/faults.hpp"
#include "topology/routing/routing.hpp"

namespace railyard::sim {

/// Options of run_workload().
struct WorkloadOptions {
  /// The algorithm of each collective.
  collectives::ScheduleSource schedule;
  /// Concurrent collectives and messages share links max-min fairly (flow); else each takes its
  /// time alone (analytic).
  bool shares_links = true;
  /// Communication slows concurrent computation by its compute_share.
  bool slows_computation = true;
  /// If set: packet simulation, with each rank simulated separately. Uses `routing` and `faults`
  /// below; does not support a pace.
  std::optional<packet::PacketOptions> packet = {};
  /// Simulate every rank separately instead of classes of equal ranks.
  bool expand = false;
  topology::RoutingOptions routing = {};
  topology::Faults faults = {};  ///< from the start
  /// Software times of collectives; not set: links and overheads only.
  collectives::PaceModel pace = {};
  /// With a pace: the share of ports and of links between switches that software uses.
  double network_share = 1;
  /// Largest number of operations of all classes of ranks; WorkloadTooLarge is thrown above. 0: no
  /// limit.
  std::uint64_t most_operations = 0;
  Announce announce = {};  ///< called before a run that needs much memory
};

}  // namespace railyard::sim
