#pragma once

#include <cstdint>

#include "core/id.hpp"
#include "core/units.hpp"

namespace railyard::collectives {

/// Statistics of a packet simulation. A transfer completes when its last byte is in the memory of
/// its receiver. Its slowdown is this completion time divided by the time that it would take alone.
struct PacketStatistics {
  std::uint64_t transfers = 0;
  Time fct_p50, fct_p99, fct_max;  ///< completion times of transfers
  double slowdown_p50 = 0, slowdown_p99 = 0, slowdown_max = 0;
  Bytes deepest_queue;  ///< over all output ports; `deepest_link` is its link
  LinkId deepest_link;
  std::uint64_t data_hops = 0;  ///< number of data packets times links crossed
  std::uint64_t events = 0;
  std::uint64_t marked = 0;  ///< data packets that arrived with an ECN mark
  /// Congestion notification packets (DCQCN).
  std::uint64_t cnps = 0;
  std::uint64_t pauses = 0;
  Time paused;         ///< total over all links
  LinkId most_paused;  ///< the link whose sender was paused longest; none() if none was
  /// Lost and retransmitted packets; number of timeouts.
  std::uint64_t lost = 0, retransmitted = 0, timeouts = 0;
  std::uint64_t nic_lost = 0;  ///< packets that NICs lost, not among `lost`
};

}  // namespace railyard::collectives
