#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collectives/schedule/schedule.hpp"
#include "sim/analytic/longest_chain.hpp"
#include "sim/flow/stage.hpp"
#include "sim/flow/streams.hpp"
#include "sim/flow/transfer_routes.hpp"
#include "sim/latency.hpp"

namespace railyard::sim {

/// A channel of a schedule, divided into phases that follow one another: each steady stage is one
/// phase, each loop of independent transfers is one phase, and so is each step of any other loop.
class AnalyticChannel {
 public:
  struct Identity {
    const collectives::Schedule& schedule;
    std::size_t channel = 0;
    std::uint32_t label = 0;
  };
  /// `costs` must outlive this object.
  AnalyticChannel(Identity identity, const PathCosts& costs)
      : identity_(identity),
        costs_(costs),
        stages_(stages(identity.schedule.channels()[identity.channel])) {}

  /// Adds the wire bytes of the next phase to `loads`. Returns false if there is no further phase.
  /// `scratch` must be empty, and is empty again afterwards.
  bool next_phase(TransferRoutes& routes, LinkSums& loads, LinkSums& scratch);
  /// Whether the loads of a step were estimated from a sample of its transfers, because it has too
  /// many.
  [[nodiscard]] bool is_sampled() const { return is_sampled_; }
  /// The latency of all phases so far.
  [[nodiscard]] Time latency() const { return latency_ + chain_.longest().alpha; }

 private:
  void add_coupled(const Stage& stage, TransferRoutes& routes, LinkSums& loads, LinkSums& scratch);
  void add_step(const collectives::Step& step, TransferRoutes& routes, LinkSums& loads);
  /// Estimates the loads of an all-to-all step from some of its rounds. Returns false, and adds
  /// nothing, if the step has few transfers or another pattern.
  bool add_sampled(const collectives::Step& step, TransferRoutes& routes, LinkSums& loads);
  void end_loop_if_done();

  Identity identity_;
  const PathCosts& costs_;
  std::vector<Stage> stages_;
  std::size_t stage_ = 0, loop_ = 0, step_ = 0;
  std::uint64_t iteration_ = 0;
  bool is_sampled_ = false;
  Time latency_;        ///< latency of the finished stages
  LongestChain chain_;  ///< longest chain of the current stage, if its transfers are processed one
                        ///< by one
  std::vector<topology::Hop> hops_;
};

}  // namespace railyard::sim
