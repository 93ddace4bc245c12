#pragma once

#include <vector>

#include "collectives/schedule/pace.hpp"
#include "sim/run_watch.hpp"
#include "topology/cluster/faults.hpp"
#include "topology/routing/routing.hpp"

namespace railyard::sim {

/// Options of FlowNetwork.
struct FlowOptions {
  topology::RoutingOptions routing = {};
  std::vector<topology::TimedFault> faults = {};
  /// Time from a link's failure during the run until routing avoids it. Connections over the link
  /// wait until then.
  Time convergence = {};
  bool expand = false;  ///< simulates every transfer of every step instead of steady-state streams
  bool timeline = false;  ///< fill Run::timeline
  bool certify = false;   ///< check every max-min solution
  double coalesce = 0;    ///< seconds; see FluidOptions
  /// Rate limits of tasks in addition to links (docs/models/flow.md); called by several threads at
  /// the same time. Empty: only links and overheads.
  collectives::PaceModel pace = {};
  /// With a pace: the share of ports and of links between switches that software uses.
  double network_share = 1;
  int threads = 1;      ///< for tasks that share no links; results do not depend on it
  RunWatch watch = {};  ///< false ends the run with Stopped
  Announce announce = {};
};

}  // namespace railyard::sim
