#pragma once

#include <cstdint>

#include "core/id.hpp"
#include "core/units.hpp"

namespace railyard::collectives {

/// What a packet simulation adds to a run. A transfer completes when its last byte is in the memory
/// of its receiver; its slowdown is that time over the time that it would take alone.
struct PacketStatistics {
  std::uint64_t transfers = 0;
  Time fct_p50, fct_p99, fct_max;  ///< completion times of transfers
  double slowdown_p50 = 0, slowdown_p99 = 0, slowdown_max = 0;
  Bytes deepest_queue;  ///< of all output ports
  LinkId deepest_link;
  std::uint64_t data_hops = 0;  ///< data packets over links
  std::uint64_t events = 0;
  std::uint64_t marked = 0;  ///< data packets that arrived with an ECN mark
  std::uint64_t cnps = 0;
  std::uint64_t pauses = 0;
  Time paused;         ///< sum over links
  LinkId most_paused;  ///< the link whose sender was paused longest; none(): none
  std::uint64_t lost = 0, retransmitted = 0, timeouts = 0;  ///< packets, packets, times
};

}  // namespace railyard::collectives
