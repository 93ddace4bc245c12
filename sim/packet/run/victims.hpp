#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/units.hpp"

namespace railyard::sim::packet {

/// How long packets waited for a link at most: in its queue (the deepest one at the rate of the
/// link), and because its sender was paused (in sum).
struct PortWait {
  Time queued, paused;
};

/// Where a connection waited, and for which port: links, or kNone where no port of it has a wait.
/// `connections`: those that use the port that it waited for.
struct Wait {
  std::uint32_t port, cause, connections = 0;
};

/// Finds the cause of delays. A connection waits at the port of its route with the longest wait. As
/// long as that port was paused, packets that came by it waited in the switch behind: the cause is
/// looked for at that port among the next ones of all routes through it that has the longest wait.
/// It ends at a port that nobody paused, the root of the congestion. The waits are those of the
/// whole run, so that two storms at different times are not told apart.
///
/// `routes`: links of each connection, in order. `ports`: by link.
///
/// Example: routes (1, 2, 3) and (1, 4), where links 1 and 2 were paused and link 3 has a deep
/// queue. Both wait at or behind link 1 for link 3: the second one is a victim.
[[nodiscard]] std::vector<Wait> find_waits(std::span<const std::vector<std::uint32_t>> routes,
                                           std::span<const PortWait> ports);

}  // namespace railyard::sim::packet
