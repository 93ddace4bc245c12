#pragma once

#include <cstdint>

#include "sim/packet/parameters.hpp"
#include "sim/packet/transport/feedback.hpp"

namespace railyard::sim::packet {

/// The window of one queue pair under Swift (Kumar et al., SIGCOMM 2020, algorithm 1 and section
/// 3.5), in packets. An acknowledgement of n packets with a delay d below the target adds n
/// additive / w to the window w (n additive if w < 1). If d is above the target, at most once per
/// round trip,
///
///     w *= max(1 - beta (d - target) / d, 1 - max_decrease)
///
/// The target grows with the base round-trip time of the path and with the number of flows, which 1
/// / sqrt(w) approximates:
///
///     target = base RTT + queueing + clamp(a / sqrt(w) - b, 0, scaling_range)
///     a = scaling_range / (1 / sqrt(scaling_from) - 1 / sqrt(scaling_to))
///     b = a / sqrt(scaling_to)
///
/// With a window below one packet the sender waits for d / w between packets.
///
/// Example: d twice the target at beta 0.8: w *= 0.6.
class Swift {
 public:
  Swift(const SwiftParameters& parameters, const PathFacts& path);

  void acknowledged(const SwiftParameters& parameters, const Feedback& feedback);
  /// Call it when a packet was lost.
  void lost(const SwiftParameters& parameters, std::int64_t now);
  /// Call it when the path has changed; the target changes with it.
  void change_path(const SwiftParameters& parameters, const PathFacts& path);
  [[nodiscard]] double window() const { return window_; }  ///< packets
  /// ps between packets; 0: only the window limits packets.
  [[nodiscard]] std::int64_t gap() const {
    return window_ >= 1 ? 0 : static_cast<std::int64_t>(static_cast<double>(rtt_) / window_);
  }
  /// The target delay in ps.
  [[nodiscard]] double target() const;

 private:
  void limit();

  double window_, most_, least_;
  double base_, range_, a_, b_;  ///< terms of the target, ps
  std::int64_t rtt_;
  std::int64_t decreased_at_ = -1;  ///< ps; -1: never
};

}  // namespace railyard::sim::packet
