#pragma once

#include <deque>
#include <span>
#include <vector>

#include "collectives/executor.hpp"
#include "sim/channel_run.hpp"
#include "sim/flow_network.hpp"
#include "sim/flow_state.hpp"
#include "sim/holders.hpp"
#include "sim/link_capacity.hpp"
#include "sim/load_sampler.hpp"

namespace railyard::sim {

/// One flow simulation: the event loop that moves tasks, channels, streams and faults.
class FlowRun {
 public:
  FlowRun(const topology::Cluster& cluster, const FlowOptions& options,
          std::span<const collectives::Task> tasks);
  /// Runs to completion. Throws InputError where bytes have no way.
  [[nodiscard]] collectives::Run run();

 private:
  struct TaskRun {
    std::size_t open_channels = 0;
    double begin = 0;  ///< seconds; the start of the task, before its launch
    Holders holders;
    std::vector<double> carried_before;  ///< by link, at begin; empty: nothing
  };

  void plan(const FlowOptions& options, std::span<const collectives::Task> tasks);
  void plan_task(std::size_t index, bool expand);
  void handle(const FlowEvent& event);
  void apply(const topology::Faults& faults);
  /// Moves time on to the next completions, or to the next event.
  void advance();
  void complete(const FlowState::Owner& owner);
  void close_channel(std::uint32_t task);
  [[nodiscard]] collectives::Binding binding(const TaskRun& task, double finish) const;
  [[noreturn]] void report_stuck() const;
  void collect_loads();

  std::span<const collectives::Task> asked_;
  std::vector<topology::TimedFault> faults_;
  FlowState state_;
  std::deque<ChannelRun> channels_;
  std::vector<TaskRun> tasks_;
  std::size_t open_tasks_ = 0;
  std::vector<FlowState::Owner> completed_;
  LoadSampler sampler_;
  collectives::Run result_;
};

}  // namespace railyard::sim
