#pragma once

#include <vector>

#include "collectives/schedule/executor.hpp"
#include "sim/analytic/share_links.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/faults.hpp"
#include "topology/routing/routing.hpp"

namespace railyard::sim {

struct AnalyticOptions {
  topology::RoutingOptions routing = {};
  topology::Faults faults = {};
};

/// The time of a schedule without other traffic, and the bytes that it puts on links.
struct IsolatedTime {
  Time total;
  Time latency;     ///< part of `total`: launch, and the latency of the critical path
  Time at_hosts{};  ///< part of (total - latency) that links in nodes and NIC ports need; without
                    ///< collisions between switches it is all of it
  TaskBytes bytes;
};

/// Alpha-beta on the bottleneck link (docs/models/analytic.md):
///
///     T = launch + sum over phases of (latency of the critical path + max over l of B(l) / C(l))
///
/// where B(l) is the number of wire bytes of the phase on link l and C(l) the link's capacity. The
/// channels of a task share links. If several tasks together put more bytes on a link than it can
/// carry between their first start and their last finish, all of them take longer by the missing
/// time (share_links).
///
/// Example: a ring all_reduce of 200 MB over 4 nodes with one GPU and one NIC of 50 GB/s each.
/// Every NIC carries 2 * 3 pieces of 50 MB = 300 MB: 6 ms. Six steps of 5 us overhead make 0.03 ms
/// latency, and launch is 10 us: T = 6.04 ms.
class AnalyticNetwork final : public collectives::Executor {
 public:
  /// The cluster must outlive the network.
  AnalyticNetwork(const topology::Cluster& cluster, AnalyticOptions options = {});
  [[nodiscard]] std::string_view name() const override { return "analytic"; }
  [[nodiscard]] collectives::Run run(std::span<const collectives::Task> tasks) override;
  /// Runs each task as if it were alone. `bytes` receives the bytes of each task on links.
  [[nodiscard]] collectives::Run run_apart(std::span<const collectives::Task> tasks,
                                           std::vector<TaskBytes>& bytes) const;
  /// A schedule, and the label of its connections for ECMP hashes.
  struct Connected {
    const collectives::Schedule* schedule = nullptr;
    std::size_t label = 0;
  };
  [[nodiscard]] std::vector<IsolatedTime> alone(std::span<const Connected> schedules) const;

 private:
  const topology::Cluster& cluster_;
  AnalyticOptions options_;
};

}  // namespace railyard::sim
