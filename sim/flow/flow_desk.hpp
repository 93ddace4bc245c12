#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "sim/flow/flow_network.hpp"
#include "sim/flow/streams.hpp"
#include "sim/flow/transfer_routes.hpp"

namespace railyard::sim {

/// What a flow simulation needs of a size with the cluster, not with its part of it. A thread keeps
/// one and runs one part after the other with it. All is left as it was at time 0.
struct FlowDesk {
  /// Up to so many faults in mid-run the routers of each are kept from part to part. With more, a
  /// desk is good for one simulation.
  static constexpr std::size_t kMostFaults = 4;

  FlowDesk(const topology::Cluster& cluster, const FlowOptions& options);

  const topology::Cluster& cluster;
  const double network_share;  ///< of ports and fabric links that software gets
  TransferRoutes routes;
  std::vector<double> capacities;  ///< B/s by link, as they are now
  LinkSums sums;
};

/// A desk for each worker of a parallel_for, made when first asked for.
class FlowDesks {
 public:
  /// Cluster and options must outlive it.
  FlowDesks(const topology::Cluster& cluster, const FlowOptions& options, int workers)
      : cluster_(cluster), options_(options), desks_(static_cast<std::size_t>(workers)) {}

  /// May be called for different workers at the same time.
  [[nodiscard]] FlowDesk& of(std::size_t worker) {
    auto& desk = desks_[worker];
    if (!desk) desk = std::make_unique<FlowDesk>(cluster_, options_);
    return *desk;
  }
  /// Gives up the desk of a worker, so that the next one it asks for is new.
  void discard(std::size_t worker) { desks_[worker].reset(); }

 private:
  const topology::Cluster& cluster_;
  const FlowOptions& options_;
  std::vector<std::unique_ptr<FlowDesk>> desks_;
};

/// Faults of the options that hold from the start, and those that strike later, in their order.
[[nodiscard]] topology::Faults initial_faults(const FlowOptions& options);
[[nodiscard]] std::vector<topology::TimedFault> later_faults(const FlowOptions& options);

}  // namespace railyard::sim
