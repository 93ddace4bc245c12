#pragma once

#include <span>
#include <vector>

#include "sim/flow/flow_state.hpp"
#include "sim/flow/stage.hpp"

namespace railyard::sim {

/// A coupled stage (ring, pipeline) in its steady state, or equal transfers together: its latency,
/// then one stream.
///
/// Why one stream is exact for n(l) equal transfers of b bytes on link l that start together while
/// nothing else runs: max-min fairness first fills the link l* with the least C(l) / n(l). No
/// stream is ever slower, because links only lose streams. So the transfers on l* end last, after b
/// n(l*) / C(l*), which is the time of a stream of b bytes with weights n(l). Transfers that end
/// earlier are not simulated. Several channels are several such streams: those that cross l* share
/// its level, and the others are faster.
class SteadyStage {
 public:
  SteadyStage(const ChannelContext& context, const Stage& stage)
      : context_(context), stage_(stage) {}

  /// Schedules the stream after the stage's latency.
  void begin(FlowState& state);
  /// The latency has passed.
  void stream_begins(FlowState& state);
  /// The stream has ended, and thus the stage.
  void stream_ends(FlowState& state);
  /// Finds a new path if the stream crosses a failed link.
  void reroute(FlowState& state, std::span<const LinkId> failed);
  /// "ring of 8 transfers, 14 times".
  [[nodiscard]] std::string describe() const;

 private:
  /// Finds the paths, the stream and its latency.
  RoutedBody solve(FlowState& state);
  /// The stream of counted transfers, and their latency: that of the longest path in a sample.
  void solve_together(FlowState& state);
  /// Adds the rate that every transfer needs on its path at the stage's pace.
  void note_demands(FlowState& state, const RoutedBody& routed) const;

  const ChannelContext& context_;
  Stage stage_;
  SteadyStream steady_;
  StageLatency latency_;
  StreamId stream_;
  double begun_ = 0, flowing_ = 0;
};

}  // namespace railyard::sim
