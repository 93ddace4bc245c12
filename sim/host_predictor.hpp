#pragma once

#include <memory>
#include <optional>

#include "collectives/schedule/executor.hpp"
#include "sim/host_engines.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/node/host_memory.hpp"

namespace railyard::sim {

/// Predicts schedules as the live backends run them, also on hosts whose last-level cache holds a
/// part of the buffers:
///
///     time = w t(cache) + (1 - w) t(memory)        w: topology::HostMemory::part
///
/// t(memory) is the time on the cluster, t(cache) that with the cache's bandwidth between each rank
/// and its CPU. For example a cache of 32 MiB and buffers of 48 MiB: w = 5/13.
class HostPredictor {
 public:
  /// `options`: of the engine of t(memory). `memory`: the cache of each host; nothing: w is 0. The
  /// cluster must outlive it.
  HostPredictor(const topology::Cluster& cluster, const EngineOptions& options,
                const std::optional<topology::HostMemory>& memory);
  /// `over_mpi`: as in HostEngines::run().
  [[nodiscard]] collectives::TaskResult run(const collectives::Schedule& schedule,
                                            bool over_mpi) const;

 private:
  /// The hosts with the bandwidth of their caches.
  struct CachedHosts {
    topology::HostMemory memory;
    std::unique_ptr<topology::Cluster> cluster;
    HostEngines engines;
  };
  [[nodiscard]] static std::optional<CachedHosts> cached_hosts(
      const topology::Cluster& cluster, const std::optional<topology::HostMemory>& memory);

  HostEngines engines_;
  std::optional<CachedHosts> cached_;
};

}  // namespace railyard::sim
