#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collectives/schedule/executor.hpp"
#include "sim/flow/binding_links.hpp"
#include "sim/flow/channel_run.hpp"
#include "sim/flow/flow_options.hpp"
#include "sim/flow/flow_state.hpp"
#include "sim/flow/link_numbers.hpp"
#include "sim/flow/load_sampler.hpp"
#include "sim/flow/transfer_loads.hpp"
#include "sim/link_capacity.hpp"

namespace railyard::sim {

/// The tasks of a flow simulation, and the links that they cross.
struct FlowProblem {
  std::span<const collectives::Task> asked;
  std::span<const std::uint32_t> tasks;  ///< indices into `asked`
  LinkNumbers links;
};

/// One flow simulation: the event loop that moves tasks, channels, streams and faults.
class FlowRun {
 public:
  /// Problem, options and workspace must outlive it.
  FlowRun(const FlowProblem& problem, const FlowOptions& options, FlowWorkspace& workspace);
  ~FlowRun();
  FlowRun(const FlowRun&) = delete;
  FlowRun& operator=(const FlowRun&) = delete;

  /// Runs to completion. Returns results by task of the problem, without notes on the solver.
  /// Throws InputError if there is no path for some bytes.
  [[nodiscard]] collectives::Run run();
  [[nodiscard]] FluidCounts counts() const { return state_.fluid.counts(); }

 private:
  struct TaskRun {
    std::size_t open_channels = 0;
    double begin = 0;  ///< seconds; the start of the task, before its launch
    std::optional<collectives::Pace> pace;
    BindingLinks binding;
    std::vector<double> carried_before;  ///< by link, at begin; empty: 0
  };

  void plan(const FlowOptions& options);
  /// By channel, the loads that the transfers of the only task put on links, if they can be
  /// simulated together (SteadyStage states when that is exact); otherwise empty.
  [[nodiscard]] std::vector<std::shared_ptr<const TransferLoads>> together(
      const FlowOptions& options);
  /// The loads of a channel of the only task, each transfer routed (routed_loads).
  [[nodiscard]] std::optional<TransferLoads> routed(const LoadSetting& setting, std::size_t channel,
                                                    const collectives::Step& step,
                                                    std::uint32_t label);
  /// Throws InputError with the size that fits if the transfers of all tasks exceed the memory of
  /// the machine.
  void check_run_memory(const FlowOptions& options) const;
  void plan_task(std::size_t index, const FlowOptions& options);
  void handle(const FlowEvent& event);
  void apply(const topology::Faults& faults);
  /// Reroutes the remaining bytes around failed links.
  void avoid(const topology::Faults& faults);
  /// Advances time to the next completions or the next event.
  void advance();
  void complete(const FlowState::Owner& owner);
  void close_channel(std::uint32_t task);
  void observe_binding_links();
  [[nodiscard]] const collectives::Task& asked(std::size_t task) const {
    return problem_.asked[problem_.tasks[task]];
  }
  [[nodiscard]] std::string name_of(std::size_t task) const;
  [[nodiscard]] collectives::Binding binding(const TaskRun& task, double finish) const;
  [[noreturn]] void report_stuck() const;
  void collect_loads();

  const FlowProblem& problem_;
  std::vector<topology::TimedFault> faults_;
  FlowState state_;
  std::deque<ChannelRun> channels_;
  std::vector<TaskRun> tasks_;
  std::uint64_t memory_ = 0;  ///< estimated bytes that all tasks keep for their transfers
  std::uint64_t streams_ = 0, ended_ = 0;  ///< streams of all tasks, and those that have ended
  std::size_t open_tasks_ = 0;
  std::vector<FlowState::Owner> completed_;
  std::uint64_t looked_at_ = 0;  ///< number of the solution at the last observation of all tasks
  std::vector<std::uint32_t> unwatched_;  ///< tasks whose watched stream has ended since
  LoadSampler sampler_;
  collectives::Run result_;
};

}  // namespace railyard::sim
