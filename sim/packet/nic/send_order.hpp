#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <vector>

#include "sim/packet/packet.hpp"

namespace railyard::sim::packet {

/// A first-in first-out ring that grows.
template <class T>
class Ring {
 public:
  [[nodiscard]] bool empty() const { return head_ == tail_; }
  [[nodiscard]] const T& front() const { return items_[head_ & mask()]; }
  void pop() { ++head_; }
  void push(const T& item) {
    if (tail_ - head_ == items_.size()) grow();
    items_[tail_++ & mask()] = item;
  }

 private:
  [[nodiscard]] std::size_t mask() const { return items_.size() - 1; }
  void grow() {
    std::vector<T> larger(std::max<std::size_t>(items_.size() * 2, 4));
    for (std::size_t i = head_; i != tail_; ++i)
      larger[i & (larger.size() - 1)] = items_[i & mask()];
    items_.swap(larger);
  }

  std::vector<T> items_;
  std::size_t head_ = 0, tail_ = 0;
};

/// Which queue pair of a sending port is next. Control packets (acknowledgements) come first. Queue
/// pairs whose rate allows a packet take turns in the order in which they became allowed (round
/// robin at equal rates); the others wait for their time.
class SendOrder {
 public:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  struct Turn {
    std::int64_t time = 0;  ///< ps, at which it may send
    std::uint32_t pair = 0;
    friend bool operator>(const Turn& a, const Turn& b) {
      return a.time != b.time ? a.time > b.time : a.pair > b.pair;
    }
  };

  void add_control(const Packet& packet) { control_.push(packet); }
  [[nodiscard]] bool has_control() const { return !control_.empty(); }
  [[nodiscard]] const Packet& control() const { return control_.front(); }
  void pop_control() { control_.pop(); }

  /// Lets a queue pair wait for its turn, which is not before `time`; the wire is free at
  /// `free_at`.
  void add(std::uint32_t pair, std::int64_t time, std::int64_t free_at) {
    if (time <= free_at)
      ready_.push({free_at, pair});
    else
      waiting_.push({time, pair});
  }
  /// When the next queue pair may start, at the earliest when the wire is free; kNever: none waits.
  [[nodiscard]] std::int64_t next_start(std::int64_t free_at) const {
    std::int64_t start = kNever;
    if (!ready_.empty()) start = std::max(free_at, ready_.front().time);
    if (!waiting_.empty()) start = std::min(start, std::max(free_at, waiting_.top().time));
    return start;
  }
  /// The queue pair whose turn is at `start`, as next_start said.
  [[nodiscard]] std::uint32_t take(std::int64_t start) {
    while (!waiting_.empty() && waiting_.top().time <= start) {
      ready_.push(waiting_.top());
      waiting_.pop();
    }
    const std::uint32_t pair = ready_.front().pair;
    ready_.pop();
    return pair;
  }

 private:
  Ring<Packet> control_;
  Ring<Turn> ready_;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> waiting_;
};

}  // namespace railyard::sim::packet
