#pragma once

#include <cstdint>

namespace railyard::sim::packet {

enum class EventKind : std::uint8_t {
  arrival,  ///< the first packet of a link reaches its end, or a sending port may start a packet
  start,    ///< a queued packet of a link starts (only switches near their thresholds, and shared
            ///< links in nodes)
  pause,    ///< a pause takes effect at the sender of a link
  resume,
  post,      ///< a message is posted to its queue pair
  deliver,   ///< the last byte of a message is in the memory of its receiver
  timeout,   ///< time-out of the oldest packet of a queue pair
  pull,      ///< a receiving port may grant a packet
  fault,     ///< a link fails or degrades; the detail is the number of the fault
  reroute,   ///< one end of a queue pair changes to other routes; the detail identifies the change
  watchdog,  ///< a queue may have been paused, or not paused, for a long time; the detail is its
             ///< number of pauses
  ingress,   ///< a NIC (device) takes the first packet out of its buffer
};

/// An event at `time` (ps) of the link, queue pair or device `target`. The meaning of `detail`
/// depends on the kind; for a delivery it is the message. Events of the same time are ordered by
/// kind, then by target, so that the order does not depend on the order of insertion.
struct Event {
  std::int64_t time = 0;
  std::uint64_t key = 0;  ///< 4 bits of kind, 28 of target, 32 of detail

  static constexpr std::uint32_t kTargets = 1U << 28;

  Event() = default;
  Event(std::int64_t at, EventKind kind, std::uint32_t target, std::uint32_t detail = 0)
      : time(at),
        key(static_cast<std::uint64_t>(kind) << 60 | static_cast<std::uint64_t>(target) << 32 |
            detail) {}
  [[nodiscard]] EventKind kind() const { return static_cast<EventKind>(key >> 60); }
  [[nodiscard]] std::uint32_t target() const {
    return static_cast<std::uint32_t>(key >> 32) & (kTargets - 1);
  }
  [[nodiscard]] std::uint32_t detail() const { return static_cast<std::uint32_t>(key); }
  friend bool operator<(const Event& a, const Event& b) {
    return a.time != b.time ? a.time < b.time : a.key < b.key;
  }
  friend bool operator>(const Event& a, const Event& b) { return b < a; }
};

}  // namespace railyard::sim::packet
