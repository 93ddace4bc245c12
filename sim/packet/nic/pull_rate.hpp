#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/packet/parameters.hpp"

namespace railyard::sim::packet {

/// The share of its rate at which a receiving port pulls if the switches before it are
/// oversubscribed (uet-htsim, htsim/sim/oversubscribed_cc.cpp). After each `interval`, let n be the
/// number of received packets, t the number of those that were trimmed before the last link, and m
/// the number of marked packets among those with payload. Then
///
///     share -= t / n
///     g = (1 - gain) g + gain m / whole packets        share *= 1 - decrease (g - target)
///
/// where the last change applies if g > target. If neither of the two reduces the share, it grows:
/// by additive * 2^k if m = 0, otherwise by additive, where k is the number of intervals since the
/// last decrease. The share stays between 0.75 / oversubscription and 1.
///
/// Example: 100 packets of which 20 are trimmed reduce the share from 1 to 0.8. Then, without
/// marks, it grows to 0.81, 0.83, 0.87.
class PullRate {
 public:
  PullRate(const RcccParameters& parameters, std::int64_t interval)
      : parameters_(parameters),
        interval_(interval),
        least_(kLeast / parameters.oversubscription.value_or(1)) {}

  /// A packet of the port arrived.
  void arrived(std::int64_t now, bool is_marked, bool is_trimmed, bool is_trimmed_before) {
    if (until_ == 0) until_ = now + interval_;
    for (; until_ <= now; until_ += interval_) adjust();
    ++packets_;
    if (is_trimmed_before) ++trimmed_before_;
    if (is_trimmed)
      ++trimmed_;
    else if (is_marked)
      ++marked_;
  }
  [[nodiscard]] double share() const { return share_; }
  [[nodiscard]] std::int64_t interval() const { return interval_; }  ///< ps

 private:
  void adjust() {
    const std::uint32_t whole = packets_ - trimmed_;
    bool decreases = false;
    if (trimmed_before_ > 0) {
      share_ -= static_cast<double>(trimmed_before_) / packets_;
      decreases = true;
    }
    const double marked = whole > 0 ? static_cast<double>(marked_) / whole : 0;
    marks_ += parameters_.gain * (marked - marks_);
    if (marks_ > parameters_.target) {
      share_ *= 1 - parameters_.decrease * (marks_ - parameters_.target);
      decreases = true;
    }
    if (!decreases) share_ += parameters_.additive * (marked_ == 0 ? 1U << steps_ : 1U);
    steps_ = decreases ? 0 : std::min(steps_ + 1, kMostSteps);
    share_ = std::clamp(share_, least_, 1.0);
    packets_ = marked_ = trimmed_ = trimmed_before_ = 0;
  }

  static constexpr std::uint32_t kMostSteps = 20;
  /// Lower limit, as a share of the rate that oversubscription leaves (uet-htsim).
  static constexpr double kLeast = 0.75;
  RcccParameters parameters_;
  std::int64_t interval_, until_ = 0;  ///< ps
  double least_, share_ = 1, marks_ = 0;
  std::uint32_t packets_ = 0, marked_ = 0, trimmed_ = 0, trimmed_before_ = 0, steps_ = 0;
};

}  // namespace railyard::sim::packet
