#pragma once

#include <vector>

#include "collectives/schedule/pace.hpp"
#include "sim/run_watch.hpp"
#include "topology/cluster/faults.hpp"
#include "topology/routing/routing.hpp"

namespace railyard::sim {

/// How FlowNetwork simulates.
struct FlowOptions {
  topology::RoutingOptions routing = {};
  std::vector<topology::TimedFault> faults = {};
  /// From a link's failure during the run until routing avoids it; until then what uses it waits.
  Time convergence = {};
  bool expand = false;    ///< every transfer of every step, instead of steady-state streams
  bool timeline = false;  ///< fill Run::timeline
  bool certify = false;   ///< check every max-min solution
  double coalesce = 0;    ///< seconds; see FluidOptions
  /// What holds tasks back beside links (docs/models/flow.md), for several threads at a time; none:
  /// links and overheads alone.
  collectives::PaceModel pace = {};
  /// With that: what software gets of ports and links between switches.
  double network_share = 1;
  int threads = 1;      ///< for tasks on links of their own; results are the same for any number
  RunWatch watch = {};  ///< false ends the run with Stopped
  Announce announce = {};
};

}  // namespace railyard::sim
