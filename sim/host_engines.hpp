#pragma once

#include <cstdint>
#include <memory>

#include "collectives/schedule/executor.hpp"
#include "sim/engine.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::sim {

/// The most transfers of a schedule over MPI that are simulated one by one: a few seconds.
inline constexpr std::uint64_t kMostExpanded = 100'000;

/// Predicts schedules as the live backends run them: as streams, but over MPI, which runs them
/// transfer by transfer, each transfer by itself (up to kMostExpanded).
class HostEngines {
 public:
  /// `options`: of the flow engine; transfers by themselves have nominal times. The cluster must
  /// outlive it.
  explicit HostEngines(const topology::Cluster& cluster, EngineOptions options = {});
  [[nodiscard]] collectives::TaskResult run(const collectives::Schedule& schedule,
                                            bool over_mpi) const;

 private:
  std::unique_ptr<collectives::Executor> streams_, transfers_;
};

}  // namespace railyard::sim
