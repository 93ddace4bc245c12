#pragma once

#include <cstdint>

#include "sim/packet/parameters.hpp"
#include "sim/packet/transport/feedback.hpp"

namespace railyard::sim::packet {

/// The window of one queue pair under Swift (Kumar et al., SIGCOMM 2020, algorithm 1 and section
/// 3.5), in packets. An acknowledgement of n packets whose delay d is below the target adds
/// n additive / w (n additive where w < 1); above it, at most once per round trip,
///
///     w *= max(1 - beta (d - target) / d, 1 - max_decrease)
///
/// The target scales with the path, whose base round-trip time is known, and with the number of
/// flows, for which 1 / sqrt(w) stands:
///
///     target = base RTT + queueing + clamp(a / sqrt(w) - b, 0, scaling_range)
///     a = scaling_range / (1 / sqrt(scaling_from) - 1 / sqrt(scaling_to)),  b = a /
///     sqrt(scaling_to)
///
/// A window below one packet is a pause of d / w between packets.
///
/// Example: d twice the target at beta 0.8: w *= 0.6.
class Swift {
 public:
  Swift(const SwiftParameters& parameters, const PathFacts& path);

  void acknowledged(const SwiftParameters& parameters, const Feedback& feedback);
  /// A packet was lost.
  void lost(const SwiftParameters& parameters, std::int64_t now);
  /// The path has changed, and with it the target.
  void change_path(const SwiftParameters& parameters, const PathFacts& path);
  [[nodiscard]] double window() const { return window_; }  ///< packets
  /// ps between packets; 0: the window alone limits them.
  [[nodiscard]] std::int64_t gap() const {
    return window_ >= 1 ? 0 : static_cast<std::int64_t>(static_cast<double>(rtt_) / window_);
  }
  /// ps
  [[nodiscard]] double target() const;

 private:
  void limit();

  double window_, most_, least_;
  double base_, range_, a_, b_;  ///< of the target, ps
  std::int64_t rtt_;
  std::int64_t decreased_at_ = -1;  ///< ps; -1: never
};

}  // namespace railyard::sim::packet
