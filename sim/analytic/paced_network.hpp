#pragma once

#include <vector>

#include "collectives/schedule/executor.hpp"
#include "collectives/schedule/pace.hpp"
#include "sim/analytic/analytic_network.hpp"

namespace railyard::sim {

/// The analytic fidelity with a model of the software: a task takes its pace and what faults add to
/// its time on the bottleneck; a task that the model does not know takes that of AnalyticNetwork.
class PacedNetwork final : public collectives::Executor {
 public:
  struct Options {
    collectives::PaceModel pace;
    AnalyticOptions bottleneck = {};
    bool loads = false;  ///< also what links carry, which costs a pass over the schedule
  };
  /// The cluster must outlive the network.
  PacedNetwork(const topology::Cluster& cluster, Options options);
  [[nodiscard]] std::string_view name() const override { return "analytic"; }
  [[nodiscard]] collectives::Run run(std::span<const collectives::Task> tasks) override;

 private:
  using Paces = std::vector<std::optional<collectives::Pace>>;
  [[nodiscard]] bool needs_bottleneck(const Paces& paces) const;
  /// What faults add to the time of each task.
  [[nodiscard]] std::vector<Time> added_by_faults(std::span<const collectives::Task> tasks,
                                                  const collectives::Run& faulty) const;
  /// B/s by link: the line rates of links without faults.
  [[nodiscard]] std::vector<double> line_capacities() const;
  /// Loads of links that the times ask for more than NCCL counts, over their line rates.
  void report_line_rates(collectives::Run& run) const;
  [[nodiscard]] collectives::TaskResult paced(const collectives::Task& task,
                                              const collectives::Pace& pace, Time added,
                                              const collectives::Binding& bottleneck) const;

  const topology::Cluster& cluster_;
  Options options_;
};

}  // namespace railyard::sim
