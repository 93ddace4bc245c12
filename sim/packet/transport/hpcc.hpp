#pragma once

#include <cstdint>
#include <span>

#include "sim/packet/parameters.hpp"
#include "sim/packet/transport/feedback.hpp"

namespace railyard::sim::packet {

/// Rounds a record to the units of HPCC's header (figure 7 of the paper): ns, 128 bytes sent and 80
/// bytes queued at 25 Gb/s. Faster ports count in proportionally larger units, so that their
/// counters of 20 and 16 bits cover the same time: 2,048 and 1,280 bytes at 400 Gb/s.
///
/// Example: with packets of 1,090 bytes at 400 Gb/s the counter grows by 0 or 2,048 bytes per
/// packet.
[[nodiscard]] HopRecord rounded(const HopRecord& record);

/// Window and rate of one queue pair under HPCC (Li et al., SIGCOMM 2019, algorithm 1). T is the
/// base round-trip time and B the rate of a port. An acknowledgement yields for each port, compared
/// with the packet acknowledged before it, the utilisation
///
///     u = min(queue, queue before) / (B T) + (bytes sent in between) / (time in between) / B
///
/// and, for the port with the largest u and the time tau <= T between its records,
///
///     U = (1 - tau / T) U + (tau / T) u
///
/// With the reference window Wc, which is updated once per round trip,
///
///     W = Wc / (U / eta) + W_AI    if U >= eta or max_stage additive steps were taken
///     W = Wc + W_AI                otherwise
///
/// and rate = W / T. W begins at line rate * T and never exceeds it.
///
/// Example: U = 1.9 at eta 0.95 halves the window.
class Hpcc {
 public:
  Hpcc(const HpccParameters& parameters, const PathFacts& path);

  /// `before`: the records of the previous acknowledgement. They are overwritten with the new ones.
  void acknowledged(const HpccParameters& parameters, const Feedback& feedback,
                    std::span<HopRecord> before);
  /// Call it when the path has changed. The rate stays, and the next records have no predecessors.
  void change_path(const HpccParameters& parameters, const PathFacts& path);
  [[nodiscard]] double window() const { return window_; }  ///< bytes of payload
  [[nodiscard]] double rate() const { return window_ * 8e12 / base_rtt_; }
  [[nodiscard]] double utilisation() const { return utilisation_; }

 private:
  void measure(std::span<const HopRecord> now, std::span<const HopRecord> before);

  double base_rtt_;  ///< ps
  double most_, additive_, least_;
  double window_, reference_;
  double utilisation_ = 1;
  std::uint32_t last_update_ = 0;  ///< the reference window is updated when a packet behind this
                                   ///< one is acknowledged
  int stage_ = 0;
  bool has_records_ = false;
};

}  // namespace railyard::sim::packet
