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

/// A channel cut into phases that do not overlap: a coupled stage is one, a loop of independent
/// transfers is one, and every step of any other loop is one.
class AnalyticChannel {
 public:
  struct Identity {
    const collectives::Schedule& schedule;
    std::size_t channel = 0;
    std::uint32_t label = 0;
  };
  /// The costs must outlive it.
  AnalyticChannel(Identity identity, const PathCosts& costs)
      : identity_(identity),
        costs_(costs),
        stages_(stages(identity.schedule.channels()[identity.channel])) {}

  /// Adds the wire bytes of the next phase to `loads`; false when there is none left. `scratch`
  /// must be empty and is left empty.
  bool next_phase(TransferRoutes& routes, LinkSums& loads, LinkSums& scratch);
  /// Whether some transfers stood for all of their step, because it had too many.
  [[nodiscard]] bool is_sampled() const { return is_sampled_; }
  /// Latency of the phases so far.
  [[nodiscard]] Time latency() const { return latency_ + chain_.longest().alpha; }

 private:
  void add_coupled(const Stage& stage, TransferRoutes& routes, LinkSums& loads, LinkSums& scratch);
  void add_step(const collectives::Step& step, TransferRoutes& routes, LinkSums& loads);
  /// Estimates the loads of a step of an all-to-all from some of its rounds; false for a step with
  /// few transfers, or of another pattern.
  bool add_sampled(const collectives::Step& step, TransferRoutes& routes, LinkSums& loads);
  void end_loop_if_done();

  Identity identity_;
  const PathCosts& costs_;
  std::vector<Stage> stages_;
  std::size_t stage_ = 0, loop_ = 0, step_ = 0;
  std::uint64_t iteration_ = 0;
  bool is_sampled_ = false;
  Time latency_;        ///< of the stages that are over
  LongestChain chain_;  ///< of the current stage of single transfers
  std::vector<topology::Hop> hops_;
};

}  // namespace railyard::sim
