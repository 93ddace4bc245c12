#pragma once

#include <memory>
#include <set>
#include <string>

#include "apps/output/rows.hpp"
#include "apps/sim/sim_flags.hpp"
#include "apps/sim/timing.hpp"
#include "collectives/nccl/choice/chooser.hpp"
#include "collectives/schedule/executor.hpp"
#include "collectives/schedule/group.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::apps {

/// A cluster with the engine that the flags ask for, and the analytic one that chooses algorithms.
class Simulation {
 public:
  /// The flags must outlive it. Adds what was read to `provenance`.
  Simulation(const SimFlags& flags, Provenance& provenance);

  [[nodiscard]] const topology::Cluster& cluster() const { return cluster_; }
  /// The ranks that the flags name.
  [[nodiscard]] std::shared_ptr<const collectives::Group> group() const;
  /// The schedule of a collective; `flags` may be those of a job.
  [[nodiscard]] collectives::Schedule schedule(std::shared_ptr<const collectives::Group> group,
                                               const CollectiveFlags& flags, Bytes bytes);
  [[nodiscard]] collectives::Executor& engine() { return *engine_; }
  /// Where a choice could not be NCCL's, or a time not that of its fitted model.
  [[nodiscard]] std::set<std::string> notes() const;
  /// The flags' fabric with what the environment says of it.
  [[nodiscard]] const FabricFlags& fabric() const { return fabric_; }

 private:
  const SimFlags& flags_;
  topology::Cluster cluster_;
  collectives::nccl::NcclEnvironment environment_;
  FabricFlags fabric_;
  std::shared_ptr<collectives::nccl::FittedPace> timing_;
  std::unique_ptr<collectives::Executor> engine_, analytic_;
  collectives::nccl::Chooser chooser_;
};

}  // namespace railyard::apps
