#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/packet/links/ring.hpp"

namespace railyard::sim::packet {

/// The pull queue of a receiving port (NDP, section 3.2; RCCC grants credits in the same way).
/// Queue pairs that wait for a grant take turns: one pull in the time that a full packet takes on
/// the port.
class PullPacer {
 public:
  explicit PullPacer(std::int64_t interval) : least_(interval), interval_(interval) {}
  /// Reduces the rate to a share of the port's rate, from the next pull on.
  void slow_to(double share) {
    interval_ = static_cast<std::int64_t>(static_cast<double>(least_) / share);
  }
  /// Adds a queue pair to the queue. Returns the time of the next pull if no event is planned for
  /// it yet; otherwise -1.
  [[nodiscard]] std::int64_t add(std::uint32_t pair, std::int64_t now) {
    waiting_.push(pair);
    if (is_planned_) return -1;
    is_planned_ = true;
    return std::max(now, next_);
  }
  /// Removes and returns the queue pair whose turn it is.
  [[nodiscard]] std::uint32_t take(std::int64_t now) {
    const std::uint32_t pair = waiting_.front();
    waiting_.pop();
    next_ = now + interval_;
    return pair;
  }
  /// The time of the next pull; -1 if no queue pair waits.
  [[nodiscard]] std::int64_t plan() {
    is_planned_ = !waiting_.empty();
    return is_planned_ ? next_ : -1;
  }

 private:
  Ring<std::uint32_t> waiting_;
  std::int64_t least_, interval_, next_ = 0;  ///< ps
  bool is_planned_ = false;
};

}  // namespace railyard::sim::packet
