#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "sim/packet/links/packet.hpp"
#include "sim/packet/links/ring.hpp"

namespace railyard::sim::packet {

/// Decides which queue pair of a sending port sends next. Control packets (acknowledgements) come
/// first. Queue pairs whose rate allows a packet take turns in the order in which they became ready
/// (round robin at equal rates). The others wait until their rate allows a packet.
class SendOrder {
 public:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  struct Turn {
    std::int64_t time = 0;  ///< ps; earliest time at which it may send
    std::uint32_t pair = 0;
    friend bool operator>(const Turn& a, const Turn& b) {
      return a.time != b.time ? a.time > b.time : a.pair > b.pair;
    }
  };

  void add_control(const Packet& packet) { control_.push(packet); }
  [[nodiscard]] bool has_control() const { return !control_.empty(); }
  [[nodiscard]] const Packet& control() const { return control_.front(); }
  void pop_control() { control_.pop(); }

  /// Adds a queue pair that may send at `time` at the earliest. The wire is free at `free_at`.
  void add(std::uint32_t pair, std::int64_t time, std::int64_t free_at) {
    if (time <= free_at)
      ready_.push({free_at, pair});
    else
      waiting_.push({time, pair});
  }
  /// The time at which the next queue pair may start, not before the wire is free; kNever if none
  /// waits.
  [[nodiscard]] std::int64_t next_start(std::int64_t free_at) const {
    std::int64_t start = kNever;
    if (!ready_.empty()) start = std::max(free_at, ready_.front().time);
    if (!waiting_.empty()) start = std::min(start, std::max(free_at, waiting_.top().time));
    return start;
  }
  /// Removes and returns the queue pair that sends at `start`, a result of next_start().
  [[nodiscard]] std::uint32_t take(std::int64_t start) {
    while (!waiting_.empty() && waiting_.top().time <= start) {
      ready_.push(waiting_.top());
      waiting_.pop();
    }
    const std::uint32_t pair = ready_.front().pair;
    ready_.pop();
    return pair;
  }

  /// Removes all turns of a queue pair.
  void remove(std::uint32_t pair) {
    for (std::size_t left = ready_.size(); left > 0; --left) {
      const Turn turn = ready_.front();
      ready_.pop();
      if (turn.pair != pair) ready_.push(turn);
    }
    std::vector<Turn> kept;
    for (; !waiting_.empty(); waiting_.pop())
      if (waiting_.top().pair != pair) kept.push_back(waiting_.top());
    waiting_ = decltype(waiting_)(std::greater<>(), std::move(kept));
  }

 private:
  Ring<Packet> control_;
  Ring<Turn> ready_;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> waiting_;
};

}  // namespace railyard::sim::packet
