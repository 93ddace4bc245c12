#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/workload/communications.hpp"
#include "collectives/workload/workload_result.hpp"
#include "core/id.hpp"
#include "sim/analytic/analytic_network.hpp"
#include "sim/workload/workload_options.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::sim {

/// Runs a workload on a cluster (docs/models/workload.md). Rank r sits on gpus[r].
///
/// An operation begins once the one before it on its stream has ended and its dependencies allow;
/// a collective starts when all ranks of its group have begun it, a message when both have. It
/// takes
///
///     T = latency / s + max(H / s, max over links l of B(l) / C(l))
///
/// by itself (AnalyticNetwork, or the pace). s is its rate_share, H the longest of links in nodes
/// and ports of NICs (time_with_share). With shares_links the part behind the latency is a stream
/// of B(l) bytes on each link, at most as fast as alone; concurrent streams get max-min fair rates.
/// Computation runs at 1 - c of its speed, c the largest compute_share of the communication on its
/// rank that has started.
///
/// Example: two collectives of 1 GB on one link of 1 GB/s begin at 0 s and 0.5 s. The first has
/// sent 0.5 GB when the second begins; both then get 0.5 GB/s; the first ends at 1.5 s, the second
/// at 2 s.
///
/// Throws InputError for fewer GPUs than ranks, and with what check_workload() finds;
/// WorkloadTooLarge for more operations than the options allow.
[[nodiscard]] collectives::WorkloadRun run_workload(const topology::Cluster& cluster,
                                                    const collectives::Workload& workload,
                                                    std::span<const Rank> gpus,
                                                    const WorkloadOptions& options);

/// A workload on a cluster with what its runs have in common: how its ranks communicate, and what
/// each collective and message takes alone.
class PreparedWorkload {
 public:
  /// The cluster and the workload must outlive it. Throws as run_workload() for too few GPUs.
  PreparedWorkload(const topology::Cluster& cluster, const collectives::Workload& workload,
                   std::span<const Rank> gpus, WorkloadOptions options);

  /// run_workload() with at most so many operations (0: any number).
  [[nodiscard]] collectives::WorkloadRun run(std::uint64_t most_operations) const;
  /// The same with every operation at its least time: nothing shares links, and communication does
  /// not slow computation. As operations wait only for others' ends, run() is not shorter.
  [[nodiscard]] collectives::WorkloadRun least(std::uint64_t most_operations) const;

 private:
  [[nodiscard]] collectives::WorkloadRun run(const WorkloadOptions& options) const;

  const topology::Cluster& cluster_;
  std::vector<Rank> gpus_;
  WorkloadOptions options_;
  collectives::Communications communications_;
  std::vector<AloneTime> profiles_;
};

}  // namespace railyard::sim
