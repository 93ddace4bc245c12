#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "sim/flow/flow_state.hpp"
#include "sim/flow/independent_stage.hpp"
#include "sim/flow/replayed_stage.hpp"
#include "sim/flow/stage.hpp"
#include "sim/flow/steady_stage.hpp"

namespace railyard::sim {

/// The progress of a channel of a task through its stages.
class ChannelRun {
 public:
  ChannelRun(ChannelContext context, std::vector<Stage> stages)
      : context_(std::move(context)), stages_(std::move(stages)) {}
  ChannelRun(const ChannelRun&) = delete;  // stages refer to the context
  ChannelRun& operator=(const ChannelRun&) = delete;

  void begin(FlowState& state) { enter(state); }
  void stream_begins(FlowState& state, std::uint32_t item);
  void stream_ends(FlowState& state, std::uint32_t item);
  /// The last byte of a stage of independent transfers has arrived.
  void stage_arrives(FlowState& state);
  void reroute(FlowState& state, std::span<const LinkId> failed);
  [[nodiscard]] bool is_done() const { return next_ == stages_.size() && running_.index() == 0; }
  [[nodiscard]] std::uint32_t task() const { return context_.task; }
  /// "task 0 / channel 3: ring of 8 transfers, 14 times".
  [[nodiscard]] std::string describe(std::uint32_t item) const;

 private:
  /// Begins the next stage, if any.
  void enter(FlowState& state);

  ChannelContext context_;
  std::vector<Stage> stages_;
  std::size_t next_ = 0;
  std::variant<std::monostate, SteadyStage, IndependentStage, ReplayedStage> running_;
};

}  // namespace railyard::sim
