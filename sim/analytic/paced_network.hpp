#pragma once

#include <vector>

#include "collectives/schedule/executor.hpp"
#include "collectives/schedule/pace.hpp"
#include "sim/analytic/analytic_network.hpp"

namespace railyard::sim {

/// The analytic fidelity with a model of the software: a task takes its pace, and what faults add
/// to its time on the bottleneck; a task that the model does not know takes that of
/// AnalyticNetwork.
///
///     T = launch + latency + max(bytes by the pace + faults, max over links l of B(l) / C(l))
///
/// with B(l) what the schedule puts on a link and C(l) what it carries at most: a fabric that is
/// oversubscribed, or hashes that collide, count. That is a pass over the schedule, which is left
/// out (with a note) for more than 2^20 transfers unless the loads are asked for.
///
/// Example: 8 GPUs send 50 MB each over a leaf's 2 uplinks of 50 GB/s by a pace of 2 ms: B/C is
/// 200 MB / 50 GB/s = 4 ms, T = launch + latency + 4 ms.
class PacedNetwork final : public collectives::Executor {
 public:
  struct Options {
    collectives::PaceModel pace;
    AnalyticOptions bottleneck = {};
    /// What software gets of ports and links between switches.
    double network_share = 1;
    bool loads = false;  ///< also what links carry, for schedules of any size
  };
  /// The cluster must outlive the network.
  PacedNetwork(const topology::Cluster& cluster, Options options);
  [[nodiscard]] std::string_view name() const override { return "analytic"; }
  [[nodiscard]] collectives::Run run(std::span<const collectives::Task> tasks) override;

 private:
  using Paces = std::vector<std::optional<collectives::Pace>>;
  [[nodiscard]] bool needs_bottleneck(std::span<const collectives::Task> tasks,
                                      const Paces& paces) const;
  /// What faults add to the time of each task.
  [[nodiscard]] std::vector<Time> added_by_faults(std::span<const collectives::Task> tasks,
                                                  const collectives::Run& faulty) const;
  /// B/s by link: the line rates of links without faults.
  [[nodiscard]] std::vector<double> line_capacities() const;
  /// Loads of links that the times ask for more than NCCL counts, over their line rates.
  void report_line_rates(collectives::Run& run) const;
  /// How long the slowest link of a task takes for what the task puts on it.
  struct Slowest {
    Time time;
    LinkId link = LinkId::none();
  };
  /// What makes a task longer than its pace.
  struct Slowdown {
    Slowest slowest;
    Time added;  ///< by faults
    collectives::Binding faulty;
  };
  [[nodiscard]] collectives::TaskResult paced(const collectives::Task& task,
                                              const collectives::Pace& pace,
                                              const Slowdown& slowdown) const;

  const topology::Cluster& cluster_;
  Options options_;
};

}  // namespace railyard::sim
