#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "apps/output/rows.hpp"
#include "apps/sim/sim_flags.hpp"
#include "apps/sim/timing.hpp"
#include "collectives/nccl/choice/chooser.hpp"
#include "collectives/schedule/executor.hpp"
#include "collectives/schedule/group.hpp"
#include "collectives/traffic/message_tasks.hpp"
#include "sim/engine.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::apps {

/// A cluster with the engine of the flags, and the analytic engine that selects algorithms.
class Simulation {
 public:
  /// The flags must outlive it. Adds the files that it reads to `provenance`. `watch` gets the
  /// progress of runs; `announce` is called before runs that need much memory.
  Simulation(const SimFlags& flags, Provenance& provenance, sim::RunWatch watch = {},
             sim::Announce announce = {});

  [[nodiscard]] const topology::Cluster& cluster() const { return cluster_; }
  /// --seed, otherwise the seed in the cluster file.
  [[nodiscard]] std::uint64_t seed() const { return options_.routing.seed; }
  [[nodiscard]] const topology::RoutingOptions& routing() const { return options_.routing; }
  /// The ranks of the flags, in their order; random orders are drawn from the seed.
  [[nodiscard]] std::shared_ptr<const collectives::Group> group(std::uint64_t seed) const;
  /// The schedule of a collective; `flags` may be those of a job.
  [[nodiscard]] collectives::Schedule schedule(std::shared_ptr<const collectives::Group> group,
                                               const CollectiveFlags& flags, Bytes bytes);
  /// Messages between the ranks of the flags, drawn from the seed. `flag` is used in errors.
  [[nodiscard]] collectives::MessageTasks messages(const std::vector<std::string>& traffic,
                                                   const char* flag, std::uint64_t seed);
  /// Whether a schedule or message so far had ranks on several nodes.
  [[nodiscard]] bool crosses_fabric() const { return crosses_fabric_; }
  [[nodiscard]] collectives::Executor& engine() { return *engine_; }
  /// Another engine of the flags with hashes drawn from the seed, for runs with these messages.
  /// `concurrent_runs` packet simulations share the threads.
  [[nodiscard]] std::unique_ptr<collectives::Executor> engine_of_seed(
      std::uint64_t seed, const collectives::MessageTasks& messages, int concurrent_runs = 1) const;
  /// Estimated memory of a run of a schedule, in bytes.
  [[nodiscard]] std::uint64_t memory(const collectives::Schedule& schedule) const;
  /// Records of packet simulations; nullptr: none.
  [[nodiscard]] const sim::packet::PacketRecords* packet_records() const {
    return options_.packet.records.get();
  }
  /// Choices that differ from NCCL's, and schedules that the fitted time model does not cover.
  [[nodiscard]] std::set<std::string> notes() const;
  /// Whether all schedules so far have fitted times.
  [[nodiscard]] bool has_fitted_times() const {
    return timing_ != nullptr && timing_->notes().empty();
  }
  /// The fabric flags with the settings of NCCL's environment.
  [[nodiscard]] const FabricFlags& fabric() const { return fabric_; }

 private:
  const SimFlags& flags_;
  collectives::nccl::NcclEnvironment environment_;
  FabricFlags fabric_;
  std::vector<std::string> loading_notes_;  ///< notes of load_cluster
  topology::Cluster cluster_;
  std::shared_ptr<collectives::nccl::FittedPace> timing_;
  sim::EngineOptions options_;
  std::unique_ptr<collectives::Executor> engine_, analytic_;
  collectives::nccl::Chooser chooser_;
  bool crosses_fabric_ = false;
};

}  // namespace railyard::apps
