#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "apps/output/rows.hpp"
#include "apps/replay/replay_flags.hpp"
#include "collectives/nccl/choice/chooser.hpp"
#include "collectives/schedule/executor.hpp"
#include "collectives/workload/communications.hpp"
#include "collectives/workload/workload.hpp"
#include "collectives/workload/workload_result.hpp"
#include "sim/packet/packet_options.hpp"
#include "sim/run_watch.hpp"
#include "sim/workload/link_usage.hpp"
#include "sim/workload/workload_options.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/faults.hpp"
#include "topology/routing/routing.hpp"

namespace railyard::collectives::nccl {
class FittedPace;
}

namespace railyard::apps {

/// A cluster and the engine that runs workloads on it.
class ReplayEngine {
 public:
  /// The flags must outlive it. Adds the files that it reads to `provenance`.
  ReplayEngine(const ReplayFlags& flags, const ClusterFlags& cluster, Provenance& provenance);
  ReplayEngine(const ReplayEngine&) = delete;
  ReplayEngine& operator=(const ReplayEngine&) = delete;

  [[nodiscard]] const topology::Cluster& cluster() const { return cluster_; }
  [[nodiscard]] const topology::RoutingOptions& routing() const { return routing_; }
  /// Runs a workload. Rank r is on the r-th GPU in the flags' order.
  [[nodiscard]] collectives::WorkloadRun run(const collectives::Workload& workload,
                                             sim::Announce announce);
  /// The schedule of each load of a workload, on the same GPUs.
  [[nodiscard]] std::vector<std::unique_ptr<const collectives::Schedule>> schedules(
      const collectives::Communications& communications);
  /// The loads of links in a run of the workload. Both arguments and this engine must outlive it.
  [[nodiscard]] sim::LinkUsage usage(const collectives::Workload& workload,
                                     const collectives::WorkloadRun& run);
  /// Choices that differ from NCCL's, and schedules that the fitted time model does not cover.
  [[nodiscard]] std::set<std::string> notes() const;

 private:
  [[nodiscard]] std::vector<Rank> gpus(std::uint32_t ranks) const;
  [[nodiscard]] collectives::ScheduleSource source();
  [[nodiscard]] sim::WorkloadOptions options();

  const ReplayFlags& flags_;
  ClusterFlags cluster_flags_;
  collectives::nccl::NcclEnvironment environment_;
  FabricFlags fabric_;
  std::vector<std::string> loading_notes_;  ///< notes of load_cluster
  topology::Cluster cluster_;
  std::optional<sim::packet::PacketOptions> packet_;
  topology::RoutingOptions routing_;
  topology::Faults faults_;
  std::shared_ptr<collectives::nccl::FittedPace> timing_;
  std::unique_ptr<collectives::Executor> analytic_;
  collectives::nccl::Chooser chooser_;
};

}  // namespace railyard::apps
