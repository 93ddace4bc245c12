#pragma once

#include <memory>
#include <string>
#include <vector>

#include "collectives/schedule/executor.hpp"
#include "sim/packet/packet_options.hpp"
#include "sim/run_watch.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/faults.hpp"
#include "topology/routing/routing.hpp"

namespace railyard::collectives::nccl {
class FittedPace;
}

namespace railyard::sim {

/// Options of a simulation engine.
struct EngineOptions {
  std::string fidelity = "flow";
  topology::RoutingOptions routing{};
  std::vector<topology::TimedFault> faults{};
  Time convergence{};  ///< from a failure during the run until routing avoids the link
  bool expand = false;
  bool timeline = false;
  bool certify = false;
  Time coalesce{};
  std::shared_ptr<collectives::nccl::FittedPace>
      timing{};       ///< nullptr: nominal link rates and overheads
  bool loads = true;  ///< analytic: compute link loads also where times do not need them
  int threads = 1;    ///< of one run
  /// flow and packet; false ends a flow simulation with Stopped, a packet simulation with what
  /// is known.
  RunWatch watch{};
  Announce announce{};             ///< called before a run that needs much memory
  packet::PacketOptions packet{};  ///< packet; its routing and faults are those above
};

/// The simulator of a fidelity: "analytic", "flow" or "packet". Its run() may be called by several
/// threads concurrently. The cluster must outlive it. Throws InputError for an unknown fidelity,
/// and for options that the fidelity does not support.
[[nodiscard]] std::unique_ptr<collectives::Executor> make_engine(const topology::Cluster& cluster,
                                                                 const EngineOptions& options);

}  // namespace railyard::sim
