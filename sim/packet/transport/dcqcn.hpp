#pragma once

#include <cstdint>

#include "sim/packet/parameters.hpp"

namespace railyard::sim::packet {

/// The parameters of DCQCN in the units of the engine.
struct DcqcnRule {
  DcqcnRule(const DcqcnParameters& parameters, Bandwidth line_rate);

  double g, line, additive, hyper, minimum;                     ///< bit/s
  std::int64_t alpha_timer, increase_timer, decrease_interval;  ///< ps
  std::uint64_t byte_counter;
  int fast_recovery;
  bool clamp_target;
};

/// The rate of one queue pair under DCQCN. At a CNP:
///
///     target = rate, rate *= 1 - alpha / 2, alpha = (1 - g) alpha + g
///
/// Each alpha_timer without a CNP: alpha *= 1 - g. The rate increases at each increase_timer (the
/// t-th since the last CNP that cut the rate) and after each byte_counter bytes (the b-th time):
///
///     max(t, b) > fast_recovery:   target += additive_increase,
///                                  or += hyper_increase if also min(t, b) > fast_recovery
///     then, in all cases:          rate = (rate + target) / 2
///
/// Without a byte counter one additive step precedes the hyper steps. Timers are evaluated when the
/// rate is read, so that they need no events.
///
/// Example: 100 Gb/s and alpha 1: a CNP cuts the rate to 50 Gb/s. One increase_timer later it is
/// 75, then 87.5.
class Dcqcn {
 public:
  explicit Dcqcn(double line_rate) : rate_(line_rate), target_(line_rate) {}

  /// Evaluates the timers up to `now` (ps). Returns whether the rate may have changed.
  bool advance(const DcqcnRule& rule, std::int64_t now) {
    if (!is_active_ || now < next_) return false;
    run_timers(rule, now);
    return true;
  }
  /// Call it when a CNP arrives, after advance(now).
  void congestion(const DcqcnRule& rule, std::int64_t now);
  /// Counts sent wire bytes. Returns whether the rate has changed.
  bool sent(const DcqcnRule& rule, std::uint32_t bytes) {
    if (!is_active_ || rule.byte_counter == 0) return false;
    bytes_ += bytes;
    if (bytes_ < rule.byte_counter) return false;
    bytes_ -= rule.byte_counter;
    increase(rule, byte_steps_++);
    return true;
  }
  [[nodiscard]] double rate() const { return rate_; }
  [[nodiscard]] double target() const { return target_; }
  [[nodiscard]] double alpha() const { return alpha_; }

 private:
  void run_timers(const DcqcnRule& rule, std::int64_t now);
  void cut(const DcqcnRule& rule, std::int64_t now);
  void increase(const DcqcnRule& rule, int step);
  void find_next();

  double rate_, target_, alpha_ = 1;
  std::int64_t next_ = 0, alpha_at_ = 0, increase_at_ = 0, decrease_at_ = 0;
  std::uint64_t bytes_ = 0;
  int timer_steps_ = 0, byte_steps_ = 0;
  bool is_active_ = false, has_increased_ = false;
  bool cnp_for_alpha_ = false, cnp_for_cut_ = false;
};

}  // namespace railyard::sim::packet
