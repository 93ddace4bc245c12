#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace railyard::sim::packet {

enum class EventKind : std::uint8_t {
  arrival,  ///< the first packet of a link reaches its end, or a sending port may start one
  start,    ///< a queued packet of a link starts (switches near their thresholds)
  pause,    ///< a pause takes effect at the sender of a link
  resume,
  post,     ///< a message is handed to its queue pair
  deliver,  ///< the last byte of a message is in the memory of its receiver
  timeout,  ///< of the oldest packet of a queue pair
};

/// Something that happens at `time` (picoseconds) to the link, queue pair or message `target`.
/// Events of the same time happen by kind, then by target: the order does not depend on the order
/// of insertion.
struct Event {
  std::int64_t time = 0;
  std::uint64_t key = 0;

  Event() = default;
  Event(std::int64_t at, EventKind kind, std::uint32_t target)
      : time(at), key(static_cast<std::uint64_t>(kind) << 32 | target) {}
  [[nodiscard]] EventKind kind() const { return static_cast<EventKind>(key >> 32); }
  [[nodiscard]] std::uint32_t target() const { return static_cast<std::uint32_t>(key); }
  friend bool operator<(const Event& a, const Event& b) {
    return a.time != b.time ? a.time < b.time : a.key < b.key;
  }
  friend bool operator>(const Event& a, const Event& b) { return b < a; }
};

/// A calendar queue (Brown, "Calendar queues: a fast O(1) priority queue implementation for the
/// simulation event set problem", CACM 31(10), 1988) over a bounded horizon: a ring of buckets of
/// equal width; the bucket of the present is sorted when it is reached. Events beyond the horizon
/// wait in a heap, and so do events that are pushed into the present bucket. The width adapts to
/// the events per bucket.
class EventQueue {
 public:
  EventQueue();

  void push(const Event& event) {
    const std::int64_t bucket = event.time >> width_log_;
    if (bucket <= present_) {
      ++late_;
      near_.push(event);
    } else if (bucket < present_ + kBuckets) {
      put(bucket, event);
    } else {
      far_.push(event);
    }
    ++size_;
  }

  [[nodiscard]] bool empty() const { return size_ == 0; }
  /// Requires !empty().
  Event pop() {
    while (true) {
      const bool has_sorted = at_ < sorted_.size();
      if (!near_.empty() && (!has_sorted || near_.top() < sorted_[at_])) {
        const Event event = near_.top();
        near_.pop();
        --size_;
        return event;
      }
      if (has_sorted) {
        --size_;
        return sorted_[at_++];
      }
      open_next_bucket();
    }
  }

  /// The event that is likely to be popped after `ahead` others; nothing where none is near. For
  /// prefetching.
  [[nodiscard]] const Event* upcoming(std::size_t ahead) const {
    return at_ + ahead < sorted_.size() ? &sorted_[at_ + ahead] : nullptr;
  }

 private:
  using Heap = std::priority_queue<Event, std::vector<Event>, std::greater<>>;
  static constexpr std::int64_t kBuckets = 1 << 14;
  static constexpr std::size_t kMask = kBuckets - 1;
  static constexpr std::size_t kWords = kBuckets / 64;

  void put(std::int64_t bucket, const Event& event) {
    const std::size_t slot = static_cast<std::size_t>(bucket) & kMask;
    buckets_[slot].push_back(event);
    occupied_[slot / 64] |= std::uint64_t{1} << (slot % 64);
  }
  void open_next_bucket();
  [[nodiscard]] std::int64_t next_occupied() const;
  void take_from_far();
  void sort_bucket();
  void adapt();
  void change_width(int width_log);

  int width_log_ = 12;
  std::int64_t present_ = -1;  ///< number of the bucket that `sorted_` came from
  std::size_t size_ = 0;
  std::vector<std::vector<Event>> buckets_;
  std::array<std::uint64_t, kWords> occupied_{};
  std::vector<Event> sorted_, scratch_;
  std::size_t at_ = 0;
  Heap near_, far_;
  std::vector<std::uint32_t> counts_;
  std::uint64_t late_ = 0, opened_ = 0, loaded_ = 0;  ///< since the last adaptation
};

}  // namespace railyard::sim::packet
