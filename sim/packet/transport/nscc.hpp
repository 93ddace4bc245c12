#pragma once

#include <cstdint>

#include "sim/packet/parameters.hpp"
#include "sim/packet/transport/feedback.hpp"

namespace railyard::sim::packet {

/// The window of one queue pair under NSCC (Ultra Ethernet Specification 1.0, section 3.6.13), in
/// wire bytes. B is the bandwidth-delay product of the longest path of the network and T its target
/// delay. The specification gives constants for a reference network of 100 Gb/s and 12 us, with the
/// product B0 and the target T0 = 12 us; they are scaled by a = B / B0 and b = T / T0. With the
/// delay d = rtt - base rtt of the acknowledged packet, and n bytes acknowledged:
///
///     no mark, d < T:   proportional increase: n (T - d) / T * 4 packets a b / window;
///                       n a / 4 at once if all packets of a window found empty queues
///     no mark, d >= T:  fair increase: n * 5 packets a / window
///     mark, d >= T:     once per base rtt: window *= max(1 - gamma (D - T) / D, 1/2), where D is
///                       the average delay
///     mark, d < T:      nothing (the sender takes another path)
///
/// In addition the window grows by 0.15 packets * a per base rtt. Increases take effect every 8
/// packets or base rtt. A trimmed or lost packet subtracts its bytes. Quick Adapt, once per base
/// rtt + T: if a packet was lost or d > 4 T, and less than 1/8 of the largest window arrived, the
/// window becomes the number of bytes that arrived, and marks of the bytes that were then in flight
/// are ignored.
///
/// Example: a base rtt of 12 us at 100 Gb/s: B = 150,000 bytes, and the first window is 225,000
/// bytes.
class Nscc {
 public:
  Nscc(const NsccParameters& parameters, const PathFacts& path);

  void acknowledged(const NsccParameters& parameters, const Feedback& feedback);
  /// Call it when a packet was trimmed or lost. `on_the_way`: wire bytes in flight.
  void lost(const NsccParameters& parameters, std::int64_t now, double on_the_way);
  [[nodiscard]] double window() const { return window_; }
  [[nodiscard]] double target() const { return target_; }  ///< ps

 private:
  [[nodiscard]] bool adapts_quickly(const NsccParameters& parameters, std::int64_t now,
                                    bool is_lost, bool is_marked, double delay, double on_the_way);
  void increase(double bytes, double delay);
  void decrease(const NsccParameters& parameters, std::int64_t now);
  void limit();

  double window_, most_, packet_;           ///< wire bytes
  double target_, base_rtt_, network_rtt_;  ///< ps
  double alpha_, fair_, eta_, fast_;        ///< constants scaled to the network
  double increase_ = 0;                     ///< increases that have not taken effect yet, bytes *
                                            ///< bytes (to be divided by the window)
  double average_delay_ = 0;                ///< ps
  double arrived_ = 0, since_adjust_ = 0;   ///< bytes
  double to_ignore_ = 0, ignored_ = 0;      ///< bytes
  double unqueued_ = 0;                     ///< successive bytes that found empty queues
  std::int64_t adapt_at_ = 0, adjusted_at_ = 0, decreased_at_ = 0;  ///< ps
  bool is_fast_ = false;
};

}  // namespace railyard::sim::packet
