#pragma once

#include <cstdint>
#include <span>

#include "sim/packet/parameters.hpp"
#include "sim/packet/transport/feedback.hpp"

namespace railyard::sim::packet {

/// A record in the units of HPCC's header (figure 7 of the paper): ns, 128 bytes sent and 80 bytes
/// queued at 25 Gb/s. A fast port counts in larger units, so that the counters of 20 and 16 bits
/// last as long: at 400 Gb/s 2,048 and 1,280 bytes.
///
/// Example: packets of 1,090 bytes at 400 Gb/s: the counter grows by 0 or 2,048 bytes each.
[[nodiscard]] HopRecord rounded(const HopRecord& record);

/// Window and rate of one queue pair under HPCC (Li et al., SIGCOMM 2019, algorithm 1). With the
/// base round-trip time T, an acknowledgement yields for each port of rate B, between this packet
/// and the one acknowledged before it,
///
///     u = min(queue, queue before) / (B T) + (bytes sent in between) / (time in between) / B
///
/// and, for the port with the largest u and its time tau <= T, U = (1 - tau / T) U + (tau / T) u.
/// Then, with the reference window Wc, which is renewed once per round trip,
///
///     W = Wc / (U / eta) + W_AI    where U >= eta or max_stage additive steps were taken
///     W = Wc + W_AI                else
///
/// and rate = W / T. It begins with W = line rate * T, and W never exceeds that.
///
/// Example: U = 1.9 at eta 0.95 halves the window.
class Hpcc {
 public:
  Hpcc(const HpccParameters& parameters, const PathFacts& path);

  /// `before`: the records of the previous acknowledgement, which those of this one replace.
  void acknowledged(const HpccParameters& parameters, const Feedback& feedback,
                    std::span<HopRecord> before);
  /// The path has changed: the rate stays, and the next records have no predecessors.
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
  std::uint32_t last_update_ = 0;  ///< packet after which the reference is renewed
  int stage_ = 0;
  bool has_records_ = false;
};

}  // namespace railyard::sim::packet
