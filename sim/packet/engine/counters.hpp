#pragma once

#include <cstdint>

#include "core/units.hpp"

namespace railyard::sim::packet {

/// Counters of a run.
struct Counters {
  std::uint64_t events = 0;
  std::uint64_t data_hops = 0;      ///< data packets, counted once per link that they cross
  std::uint64_t control_hops = 0;   ///< the same for control packets (acknowledgements, CNPs,
                                    ///< pulls)
  std::uint64_t data_sent = 0;      ///< data packets, retransmissions included
  std::uint64_t retransmitted = 0;  ///< packets that are sent again
  std::uint64_t lost = 0;           ///< packets for which a buffer had no room
  std::uint64_t nic_lost = 0;       ///< data packets for which a NIC had no room; not part of
                                    ///< `lost`
  std::uint64_t trimmed = 0;        ///< packets whose payload a switch cut off
  std::uint64_t returned = 0;       ///< trimmed packets that switches sent back to their sender
  std::uint64_t pulls = 0;
  std::uint64_t marked = 0;  ///< data packets that arrived with ECN marks
  std::uint64_t cnps = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t pauses = 0;
  std::uint64_t storms = 0;     ///< times that the watchdog began to ignore the pauses of a queue
  std::uint64_t discarded = 0;  ///< packets that the watchdog discarded; part of `lost`
  Time paused;                  ///< total over all links
  std::uint64_t posted_bytes = 0, delivered_bytes = 0;  ///< payload

  /// Adds the counters of another engine.
  Counters& operator+=(const Counters& other);
};

}  // namespace railyard::sim::packet
