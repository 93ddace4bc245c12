#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/units.hpp"

namespace railyard::sim::packet {

/// How long packets waited for a link: in its queue (the largest depth at the rate of the link),
/// and because its sender was paused (total).
struct PortWait {
  Time queued, paused;
};

/// `port`: where a connection waited; `cause`: the port that caused the wait; kNone if no port of
/// the connection has a wait. `connections`: the number of connections over `cause`.
struct Wait {
  std::uint32_t port, cause, connections = 0;
};

/// Finds the cause of delays. A connection waits at the port of its route with the longest wait. If
/// that port was paused, its packets waited in the switch behind it. The search then goes on at the
/// next ports of all routes through the port, and takes the one with the longest wait. It ends at a
/// port that was never paused: the root of the congestion. The waits are totals of the whole run,
/// so that two pause storms at different times are not distinguished.
///
/// `routes`: links of each connection, in order. `ports`: by link.
///
/// Example: routes (1, 2, 3) and (1, 4). Links 1 and 2 were paused and link 3 has a deep queue.
/// Both connections wait because of link 3: the second one, which does not use link 3, is a victim.
[[nodiscard]] std::vector<Wait> find_waits(std::span<const std::vector<std::uint32_t>> routes,
                                           std::span<const PortWait> ports);

}  // namespace railyard::sim::packet
