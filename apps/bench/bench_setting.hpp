#pragma once

#include <memory>
#include <optional>

#include "apps/bench/bench_flags.hpp"
#include "apps/output/rows.hpp"
#include "apps/sim/timing.hpp"
#include "collectives/nccl/choice/chooser.hpp"
#include "collectives/nccl/timing/range/machine_range.hpp"
#include "collectives/schedule/executor.hpp"
#include "collectives/workload/workload_result.hpp"
#include "hw/live_cluster.hpp"
#include "sim/host_predictor.hpp"
#include "topology/routing/routing.hpp"

namespace railyard::apps {

/// What all sizes of a bench share: hosts, the cluster of schedules and predictions, engines.
class BenchSetting {
 public:
  /// Throws InputError for an invalid cluster of --predict, or if its number of ranks differs from
  /// that of the live ranks.
  BenchSetting(const BenchFlags& flags, hw::LiveBackend& backend, Provenance& provenance);

  [[nodiscard]] const hw::LiveHosts& hosts() const { return hosts_; }
  [[nodiscard]] std::uint32_t ranks() const { return group_->size(); }
  /// --seed, otherwise the seed in the predicted cluster's file.
  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  [[nodiscard]] const std::shared_ptr<const collectives::Group>& group() const { return group_; }

  [[nodiscard]] collectives::Schedule schedule(const CollectiveFlags& flags,
                                               const collectives::Collective& collective);
  /// Empty without --predict.
  [[nodiscard]] std::optional<collectives::TaskResult> predicted(
      const collectives::Schedule& schedule);
  /// The cluster of the schedules: that of --predict, or one that represents the live hosts.
  [[nodiscard]] const topology::Cluster& cluster() const { return cluster_; }
  /// The schedules with which a group of that cluster performs the collectives of a workload.
  [[nodiscard]] collectives::ScheduleSource schedules();
  /// The workload simulated at flow fidelity on the cluster of --predict, with rank r on the r-th
  /// rank of group(); empty without --predict.
  [[nodiscard]] std::optional<collectives::WorkloadRun> predicted(
      const collectives::Workload& workload);
  /// Ranges of the predictions; empty if these are not fitted times.
  [[nodiscard]] const std::optional<collectives::nccl::MachineRange>& range() const {
    return range_;
  }
  /// Not empty if the predictions are for another release than that of the loaded NCCL.
  [[nodiscard]] const std::string& release_note() const { return environment_.release_note; }

 private:
  hw::LiveHosts hosts_;
  collectives::nccl::NcclEnvironment environment_;  ///< with the release of the loaded NCCL
  topology::Cluster cluster_;
  std::uint64_t seed_;
  topology::RoutingOptions routing_;
  std::shared_ptr<const collectives::Group> group_;
  std::shared_ptr<collectives::nccl::FittedPace> timing_;
  std::unique_ptr<collectives::Executor> analytic_;
  std::optional<sim::HostPredictor> predictor_;
  std::optional<collectives::nccl::MachineRange> range_;
  collectives::nccl::Chooser chooser_;
  bool over_mpi_, has_protocols_;
};

}  // namespace railyard::apps
