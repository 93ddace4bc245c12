#pragma once

#include "collectives/schedule/executor.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/faults.hpp"
#include "topology/routing/routing.hpp"

namespace railyard::sim {

struct AnalyticOptions {
  topology::RoutingOptions routing = {};
  topology::Faults faults = {};
};

/// Alpha–beta on the bottleneck: a collective takes the latency of its critical path plus the
/// largest (bytes over bandwidth) of any link that it crosses; tasks that overlap share no link.
class AnalyticNetwork final : public collectives::Executor {
 public:
  /// The cluster must outlive the network.
  AnalyticNetwork(const topology::Cluster& cluster, AnalyticOptions options = {});
  [[nodiscard]] std::string_view name() const override { return "analytic"; }
  [[nodiscard]] collectives::Run run(std::span<const collectives::Task> tasks) override;

 private:
  const topology::Cluster& cluster_;
  AnalyticOptions options_;
};

}  // namespace railyard::sim
