#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/packet/links/ring.hpp"

namespace railyard::sim::packet {

/// The queue of pulls of a receiving port (NDP, section 3.2; credits of RCCC alike): queue pairs
/// that are to be granted a packet take turns, one pull per time of a full packet on the port.
class PullPacer {
 public:
  explicit PullPacer(std::int64_t interval) : least_(interval), interval_(interval) {}
  /// From the next pull on: a share of the port's rate.
  void slow_to(double share) {
    interval_ = static_cast<std::int64_t>(static_cast<double>(least_) / share);
  }
  /// Lets a queue pair wait for its turn. Returns when the next pull is due where no event is
  /// planned for it, else -1.
  [[nodiscard]] std::int64_t add(std::uint32_t pair, std::int64_t now) {
    waiting_.push(pair);
    if (is_planned_) return -1;
    is_planned_ = true;
    return std::max(now, next_);
  }
  /// The queue pair whose turn is now.
  [[nodiscard]] std::uint32_t take(std::int64_t now) {
    const std::uint32_t pair = waiting_.front();
    waiting_.pop();
    next_ = now + interval_;
    return pair;
  }
  /// When the next turn is; -1: nobody waits.
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
