#pragma once

#include <memory>
#include <vector>

#include "collectives/schedule/executor.hpp"
#include "collectives/schedule/pace.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/faults.hpp"
#include "topology/routing/routing.hpp"

namespace railyard::sim {

struct FlowOptions {
  topology::RoutingOptions routing = {};
  std::vector<topology::TimedFault> faults = {};
  bool expand = false;    ///< every transfer of every step, instead of steady-state streams
  bool timeline = false;  ///< fill Run::timeline
  bool certify = false;   ///< check every max-min solution
  double coalesce = 0;    ///< seconds; see FluidOptions
  /// What holds tasks back beside links (docs/models/flow.md), for several threads at a time; none:
  /// links and overheads alone.
  collectives::PaceModel pace = {};
  /// With that: what software gets of ports and links between switches.
  double network_share = 1;
  int threads = 1;  ///< for tasks on links of their own; results are the same for any number
};

/// Runs schedules as fluid streams on a cluster: contention, hash collisions, several jobs, faults.
/// run() may be called by several threads at the same time.
class FlowNetwork final : public collectives::Executor {
 public:
  /// The cluster must outlive the network.
  FlowNetwork(const topology::Cluster& cluster, FlowOptions options = {});
  [[nodiscard]] std::string_view name() const override { return "flow"; }
  [[nodiscard]] collectives::Run run(std::span<const collectives::Task> tasks) override;

 private:
  const topology::Cluster& cluster_;
  FlowOptions options_;
};

}  // namespace railyard::sim
