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

/// How run_workload simulates.
struct WorkloadOptions {
  /// The algorithm of each collective.
  collectives::ScheduleSource schedule;
  /// Concurrent collectives and messages share links max-min fairly (flow); else each takes its
  /// time alone (analytic).
  bool shares_links = true;
  /// Communication takes its compute_share from the computation beside it.
  bool slows_computation = true;
  /// With it packet by packet instead: each rank by itself. Routing and faults are those below; it
  /// takes no pace.
  std::optional<packet::PacketOptions> packet = {};
  /// Every rank by itself, instead of classes of ranks that are alike.
  bool expand = false;
  topology::RoutingOptions routing = {};
  topology::Faults faults = {};  ///< from the start
  /// What collectives take by the software that runs them; none: links and overheads alone.
  collectives::PaceModel pace = {};
  /// With that: what software gets of ports and links between switches.
  double network_share = 1;
  /// Operations of all classes of ranks together; more throw WorkloadTooLarge. 0: no limit.
  std::uint64_t most_operations = 0;
  Announce announce = {};  ///< told of a run that takes much memory, before it begins
};

}  // namespace railyard::sim
