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

/// Runs a workload on a cluster (docs/models/workload.md) with rank r on gpus[r].
///
/// An operation begins when the previous one on its stream has ended and its dependencies are
/// satisfied. A collective starts when all ranks of its group have begun it, a message when both
/// ranks have. Alone it takes
///
///     T = d + latency / s + max(H / s, max over links l of B(l) / C(l))
///
/// (AnalyticNetwork, or the pace). d is its duration (of a message 0), s its rate_share, H the
/// largest time of links in nodes and of NIC ports (time_with_share). With shares_links, the part
/// after d and the latency is a stream of B(l) bytes on each link, at most as fast as alone;
/// concurrent streams have max-min fair rates. Computation runs at 1 - c of its speed, where c is
/// the largest compute_share of started communication on its rank.
///
/// Example: two collectives of 1 GB on one link of 1 GB/s begin at 0 s and 0.5 s. The first has
/// sent 0.5 GB when the second begins. Both then run at 0.5 GB/s. The first ends at 1.5 s, the
/// second at 2 s.
///
/// Throws InputError for fewer GPUs than ranks and for problems of check_workload(), and
/// WorkloadTooLarge for more operations than options.most_operations.
[[nodiscard]] collectives::WorkloadRun run_workload(const topology::Cluster& cluster,
                                                    const collectives::Workload& workload,
                                                    std::span<const Rank> gpus,
                                                    const WorkloadOptions& options);

/// A workload on a cluster, with the inputs that its runs share: the communication of its ranks,
/// and the time of each collective and message alone.
class PreparedWorkload {
 public:
  /// The cluster and the workload must outlive it. Throws as run_workload() for too few GPUs.
  PreparedWorkload(const topology::Cluster& cluster, const collectives::Workload& workload,
                   std::span<const Rank> gpus, WorkloadOptions options);

  /// run_workload() with this limit of operations (0: no limit).
  [[nodiscard]] collectives::WorkloadRun run(std::uint64_t most_operations) const;
  /// The same without shared links and without slowed computation: a lower bound of run(), because
  /// operations wait only for other operations.
  [[nodiscard]] collectives::WorkloadRun least(std::uint64_t most_operations) const;

 private:
  [[nodiscard]] collectives::WorkloadRun run(const WorkloadOptions& options) const;

  const topology::Cluster& cluster_;
  std::vector<Rank> gpus_;
  WorkloadOptions options_;
  collectives::Communications communications_;
  std::vector<IsolatedTime> profiles_;
};

}  // namespace railyard::sim
