#pragma once

#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "collectives/schedule/executor.hpp"
#include "hw/probe/host_fit.hpp"
#include "sim/host_engines.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::apps {

/// Flow-simulated times of a cluster of ranks on cores, as `bench --predict` computes them with a
/// cluster file of the same values. Keeps the clusters of the last few values.
class SimulatedHostTimes {
 public:
  /// `host` must outlive it.
  explicit SimulatedHostTimes(const hw::HostCluster& host) : host_(host) {}
  double operator()(std::span<const double> x, const hw::HostRow& row);

 private:
  /// A cluster with its engines.
  struct Side {
    explicit Side(topology::ClusterSpec spec);
    topology::Cluster cluster;
    std::unique_ptr<collectives::Executor> analytic;
    sim::HostEngines engines;
  };
  struct Built {
    std::vector<double> x;
    std::unique_ptr<Side> memory, cache;  ///< cache: empty if the file has none
  };
  const Built& built(std::span<const double> x);
  [[nodiscard]] static double microseconds_on(const Side& side, const hw::HostRow& row);

  const hw::HostCluster& host_;
  std::deque<Built> built_;
};

}  // namespace railyard::apps
