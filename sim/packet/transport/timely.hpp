#pragma once

#include <cstdint>

#include "sim/packet/parameters.hpp"
#include "sim/packet/transport/feedback.hpp"

namespace railyard::sim::packet {

/// The rate of one queue pair under TIMELY (Mittal et al., SIGCOMM 2015, algorithm 1). It is
/// updated by the first acknowledgement after each `segment` bytes. With the smoothed difference of
/// successive round-trip times, diff = (1 - gain) diff + gain (rtt - previous rtt), and the
/// gradient g = diff / base RTT:
///
///     rtt < low     rate += additive
///     rtt > high    rate *= 1 - beta (1 - high / rtt)
///     g <= 0        rate += additive, from the fifth such step on 5 additive
///     g > 0         rate *= 1 - beta g
///
/// TIMELY has no unique fixed point: the shares of flows depend on their initial rates (Zhu et al.,
/// "ECN or delay", CoNEXT 2016, section 4). `patched` selects the repair of that paper (algorithm
/// 2), for round-trip times between low and high, with w = clamp(2 g + 1/2, 0, 1) and a reference
/// round-trip time:
///
///     rate = rate (1 - beta w (rtt - reference) / reference) + additive (1 - w)
///
/// Its fixed point (g = 0, w = 1/2) for n flows on a link of rate C is rtt = reference (1 + n
/// additive / (beta C)), and every flow has C / n.
class Timely {
 public:
  explicit Timely(const PathFacts& path);

  /// Returns whether the rate was updated.
  bool acknowledged(const TimelyParameters& parameters, const Feedback& feedback);
  [[nodiscard]] double rate() const { return rate_; }

 private:
  [[nodiscard]] double renewed(const TimelyParameters& parameters, double rtt, double gradient);

  double rate_, line_, base_rtt_;
  double before_ = 0, difference_ = 0;  ///< ps
  std::uint64_t bytes_ = 0;             ///< since the last update
  std::uint32_t mtu_;
  int steps_ = 0;  ///< successive updates with a gradient <= 0
};

}  // namespace railyard::sim::packet
