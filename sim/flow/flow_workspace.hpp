#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "sim/flow/flow_options.hpp"
#include "sim/flow/streams.hpp"
#include "sim/flow/transfer_routes.hpp"

namespace railyard::sim {

/// The arrays of a flow simulation whose size depends on the whole cluster, not on the simulated
/// part of it. A thread keeps one workspace and simulates one part after the other in it. Each run
/// restores its initial state.
struct FlowWorkspace {
  /// Up to this many faults during a run, the router of each is kept from part to part. With more
  /// faults, a workspace serves one simulation.
  static constexpr std::size_t kMostFaults = 4;

  FlowWorkspace(const topology::Cluster& cluster, const FlowOptions& options);

  const topology::Cluster& cluster;
  const double network_share;  ///< share of ports and fabric links that software uses
  TransferRoutes routes;
  std::vector<double> capacities;  ///< present capacity in B/s, by link
  LinkSums sums;
};

/// A workspace for each worker of a parallel_for, made at its first use.
class FlowWorkspaces {
 public:
  /// Cluster and options must outlive it.
  FlowWorkspaces(const topology::Cluster& cluster, const FlowOptions& options, int workers)
      : cluster_(cluster), options_(options), workspaces_(static_cast<std::size_t>(workers)) {}

  /// May be called for different workers at the same time.
  [[nodiscard]] FlowWorkspace& of(std::size_t worker) {
    auto& workspace = workspaces_[worker];
    if (!workspace) workspace = std::make_unique<FlowWorkspace>(cluster_, options_);
    return *workspace;
  }
  /// Deletes the workspace of a worker; of() then makes a new one.
  void discard(std::size_t worker) { workspaces_[worker].reset(); }

 private:
  const topology::Cluster& cluster_;
  const FlowOptions& options_;
  std::vector<std::unique_ptr<FlowWorkspace>> workspaces_;
};

/// Faults from the start, and later faults, in order of time.
[[nodiscard]] topology::Faults initial_faults(const FlowOptions& options);
[[nodiscard]] std::vector<topology::TimedFault> later_faults(const FlowOptions& options);

}  // namespace railyard::sim
