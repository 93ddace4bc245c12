#pragma once

#include <span>
#include <vector>

#include "sim/flow/flow_state.hpp"
#include "sim/flow/stage.hpp"

namespace railyard::sim {

/// A coupled stage while it runs: its latency, then one stream.
class Steady {
 public:
  Steady(const ChannelContext& context, const Stage& stage) : context_(context), stage_(stage) {}

  /// Plans the stream for after the stage's latency.
  void begin(FlowState& state);
  /// The latency is over.
  void stream_begins(FlowState& state);
  /// The stream is done; so is the stage.
  void stream_ends(FlowState& state);
  /// Finds a new way if the stream crosses a failed link.
  void reroute(FlowState& state, std::span<const LinkId> failed);
  /// "ring of 8 transfers, 14 times".
  [[nodiscard]] std::string describe() const;

 private:
  /// Finds the ways, the stream and its latency.
  RoutedBody solve(FlowState& state);
  /// Counts what every transfer needs of its way at the stage's pace.
  void claim(FlowState& state, const RoutedBody& routed) const;

  const ChannelContext& context_;
  Stage stage_;
  SteadyStream steady_;
  StageLatency latency_;
  StreamId stream_;
  double begun_ = 0, flowing_ = 0;
};

}  // namespace railyard::sim
