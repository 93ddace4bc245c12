#pragma once

#include "collectives/schedule/executor.hpp"
#include "sim/flow/flow_options.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::sim {

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
