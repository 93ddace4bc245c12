#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "sim/packet/parameters.hpp"

namespace railyard::sim::packet {

/// The rate of one queue pair under the congestion control of InfiniBand (InfiniBand Architecture
/// Specification 1.4, annex A10). Its index i into the congestion control table grows by `increase`
/// with each BECN, up to `limit`, and falls by 1 each `timer`. After a packet that takes the time t
/// to send, the queue pair waits for table(i) t. With a linear table
///
///     table(i) = slope i    rate = line / (1 + slope i)
///
/// The timer is evaluated when the rate is read, so that it needs no events.
///
/// Example: 400 Gb/s and slope 1: three BECNs reduce the rate to 100 Gb/s; one timer later it is
/// 133 Gb/s.
class Ibcc {
 public:
  explicit Ibcc(double line_rate) : line_(line_rate) {}

  /// Evaluates the timer up to `now` (ps). Returns whether the rate may have changed.
  bool advance(const IbccParameters& parameters, std::int64_t now) {
    if (now < next_) return false;
    const std::int64_t period = parameters.timer.picoseconds();
    const std::int64_t steps = (now - next_) / period + 1;
    index_ = static_cast<int>(std::max<std::int64_t>(0, index_ - steps));
    next_ = index_ > 0 ? next_ + steps * period : kNever;
    return true;
  }
  /// Call it when a BECN arrives, after advance(now).
  void congestion(const IbccParameters& parameters, std::int64_t now) {
    index_ = std::min(index_ + parameters.increase, parameters.limit);
    if (next_ == kNever) next_ = now + parameters.timer.picoseconds();
  }
  /// The rate in bit/s.
  [[nodiscard]] double rate(const IbccParameters& parameters) const {
    return line_ / (1 + parameters.slope * index_);
  }

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  double line_;
  std::int64_t next_ = kNever;  ///< ps
  int index_ = 0;
};

}  // namespace railyard::sim::packet
