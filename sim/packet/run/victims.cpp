#include "sim/packet/run/victims.hpp"

#include <algorithm>

#include "sim/packet/links/links.hpp"

namespace railyard::sim::packet {
namespace {

/// For each port the ports that follow it on the routes.
class Followers {
 public:
  Followers(std::span<const std::vector<std::uint32_t>> routes, std::span<const PortWait> ports)
      : ports_(ports), next_(ports.size()), users_(ports.size(), 0), cause_(ports.size(), kNone) {
    for (const std::vector<std::uint32_t>& route : routes)
      for (std::size_t i = 0; i < route.size(); ++i) {
        ++users_[route[i]];
        if (i + 1 == route.size()) continue;
        std::vector<std::uint32_t>& next = next_[route[i]];
        if (std::ranges::find(next, route[i + 1]) == next.end()) next.push_back(route[i + 1]);
      }
  }
  /// The port of `some` with the longest wait, the first one if several are equal; kNone if none
  /// has waited.
  [[nodiscard]] std::uint32_t longest(std::span<const std::uint32_t> some) const {
    std::uint32_t found = kNone;
    Time most;
    for (const std::uint32_t port : some) {
      const Time wait = ports_[port].queued + ports_[port].paused;
      if (wait <= most) continue;
      most = wait;
      found = port;
    }
    return found;
  }
  /// The port at the end of the chain of pauses that begins at a port.
  [[nodiscard]] std::uint32_t cause_of(std::uint32_t port) {
    if (cause_[port] != kNone) return cause_[port];
    std::vector<std::uint32_t> chain;
    std::uint32_t at = port;
    // A cycle of pauses ends where it began.
    while (ports_[at].paused > Time() && std::ranges::find(chain, at) == chain.end()) {
      chain.push_back(at);
      const std::uint32_t next = longest(next_[at]);
      if (next == kNone) break;
      at = next;
    }
    return cause_[port] = at;
  }
  [[nodiscard]] std::uint32_t users(std::uint32_t port) const { return users_[port]; }

 private:
  std::span<const PortWait> ports_;
  std::vector<std::vector<std::uint32_t>> next_;
  std::vector<std::uint32_t> users_;  ///< connections
  std::vector<std::uint32_t> cause_;  ///< those known
};

}  // namespace

std::vector<Wait> find_waits(std::span<const std::vector<std::uint32_t>> routes,
                             std::span<const PortWait> ports) {
  Followers followers(routes, ports);
  std::vector<Wait> waits;
  for (const std::vector<std::uint32_t>& route : routes) {
    const std::uint32_t port = followers.longest(route);
    const std::uint32_t cause = port == kNone ? kNone : followers.cause_of(port);
    waits.push_back({port, cause, cause == kNone ? 0 : followers.users(cause)});
  }
  return waits;
}

}  // namespace railyard::sim::packet
