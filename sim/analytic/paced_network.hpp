#pragma once

#include <vector>

#include "collectives/schedule/executor.hpp"
#include "collectives/schedule/pace.hpp"
#include "sim/analytic/analytic_network.hpp"

namespace railyard::sim {

/// The analytic fidelity with a time model of the software. A task takes the time of its pace, plus
/// the time that faults add on the bottleneck link. A task without a pace takes the time of
/// AnalyticNetwork.
///
///     T = launch + latency + max(bytes by the pace + faults, max over links l of B(l) / C(l))
///
/// where B(l) is the number of bytes of the schedule on link l and C(l) the link's line rate. The
/// second term takes oversubscription and hash collisions into account. It needs a pass over the
/// schedule, which is skipped (with a note) above 2^20 transfers unless the loads are requested.
///
/// Example: 8 GPUs send 50 MB each over a leaf's 2 uplinks of 50 GB/s, with a pace of 2 ms for the
/// bytes. B/C is 200 MB / 50 GB/s = 4 ms, so T = launch + latency + 4 ms.
class PacedNetwork final : public collectives::Executor {
 public:
  struct Options {
    collectives::PaceModel pace;
    AnalyticOptions bottleneck = {};
    /// The share of the rate of ports and links between switches that software uses.
    double network_share = 1;
    bool loads = false;  ///< also report link loads, for schedules of any size
  };
  /// The cluster must outlive the network.
  PacedNetwork(const topology::Cluster& cluster, Options options);
  [[nodiscard]] std::string_view name() const override { return "analytic"; }
  [[nodiscard]] collectives::Run run(std::span<const collectives::Task> tasks) override;

 private:
  using Paces = std::vector<std::optional<collectives::Pace>>;
  [[nodiscard]] bool needs_bottleneck(std::span<const collectives::Task> tasks,
                                      const Paces& paces) const;
  /// The time that faults add to each task.
  [[nodiscard]] std::vector<Time> added_by_faults(std::span<const collectives::Task> tasks,
                                                  const collectives::Run& faulty) const;
  /// Line rates of links in B/s, with the faults of the options.
  [[nodiscard]] std::vector<double> line_capacities() const;
  /// Recomputes the load of each link that is busier than the run is long, with its line rate
  /// instead of NCCL's bandwidth.
  void report_line_rates(collectives::Run& run) const;
  /// The time that a task's slowest link needs for the task's bytes.
  struct Slowest {
    Time time;
    LinkId link = LinkId::none();
  };
  /// The reasons why a task takes longer than its pace.
  struct Slowdown {
    Slowest slowest;
    Time added;  ///< time that faults add
    collectives::Binding faulty;
  };
  [[nodiscard]] collectives::TaskResult paced(const collectives::Task& task,
                                              const collectives::Pace& pace,
                                              const Slowdown& slowdown) const;

  const topology::Cluster& cluster_;
  Options options_;
};

}  // namespace railyard::sim
