#pragma once

#include <cstdint>

#include "core/units.hpp"

namespace railyard::sim::packet {

/// What a run has counted.
struct Counters {
  std::uint64_t events = 0;
  std::uint64_t data_hops = 0;      ///< data packets over links
  std::uint64_t control_hops = 0;   ///< acknowledgements and CNPs over links
  std::uint64_t data_sent = 0;      ///< data packets, retransmissions included
  std::uint64_t retransmitted = 0;  ///< packets that are sent again
  std::uint64_t lost = 0;           ///< packets that no buffer admitted
  std::uint64_t nic_lost = 0;       ///< data packets that a NIC could not keep, not among `lost`
  std::uint64_t trimmed = 0;        ///< packets that lost their payload
  std::uint64_t returned = 0;       ///< trimmed packets that went back to their sender
  std::uint64_t pulls = 0;
  std::uint64_t marked = 0;  ///< data packets that arrived with ECN marks
  std::uint64_t cnps = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t pauses = 0;
  std::uint64_t storms = 0;     ///< queues whose pauses the watchdog began to ignore
  std::uint64_t discarded = 0;  ///< packets that it lost, which are among `lost`
  Time paused;                  ///< sum over links
  std::uint64_t posted_bytes = 0, delivered_bytes = 0;  ///< payload

  /// Sums of all.
  Counters& operator+=(const Counters& other);
};

}  // namespace railyard::sim::packet
