#pragma once

#include <cstdint>

#include "sim/packet/parameters.hpp"
#include "sim/packet/transport/feedback.hpp"

namespace railyard::sim::packet {

/// The rate of one queue pair under TIMELY (Mittal et al., SIGCOMM 2015, algorithm 1), renewed by
/// the first acknowledgement after `segment` bytes. With the smoothed difference of successive
/// round-trip times, diff = (1 - gain) diff + gain (rtt - rtt before), and g = diff / base RTT:
///
///     rtt < low     rate += additive
///     rtt > high    rate *= 1 - beta (1 - high / rtt)
///     g <= 0        rate += additive, 5 additive after five such steps
///     g > 0         rate *= 1 - beta g
///
/// TIMELY has no unique fixed point: the shares of flows depend on how they began (Zhu et al., "ECN
/// or delay", CoNEXT 2016, section 4). `patched` is their repair (algorithm 2), with
/// w = clamp(2 g + 1/2, 0, 1) and a reference for the round-trip time between low and high:
///
///     rate = rate (1 - beta w (rtt - reference) / reference) + additive (1 - w)
///
/// Its fixed point (g = 0, w = 1/2) for n flows on a link of rate C is
/// rtt = reference (1 + n additive / (beta C)), and every flow has C / n.
class Timely {
 public:
  explicit Timely(const PathFacts& path);

  /// Returns whether the rate was renewed.
  bool acknowledged(const TimelyParameters& parameters, const Feedback& feedback);
  [[nodiscard]] double rate() const { return rate_; }

 private:
  [[nodiscard]] double renewed(const TimelyParameters& parameters, double rtt, double gradient);

  double rate_, line_, base_rtt_;
  double before_ = 0, difference_ = 0;  ///< ps
  std::uint64_t bytes_ = 0;             ///< since the last renewal
  std::uint32_t mtu_;
  int steps_ = 0;  ///< with a gradient that is not positive
};

}  // namespace railyard::sim::packet
