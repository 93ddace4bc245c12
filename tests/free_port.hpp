#pragma once

#include <atomic>
#include <cstdint>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace railyard::testing {

/// Whether nothing on this machine listens on or connects from a TCP port.
inline bool is_free_port(std::uint16_t port) {
  const int probe = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  address.sin_port = htons(port);
  // Without SO_REUSEADDR, so that also a connection that still closes counts.
  const bool is_free =
      bind(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(probe);
  return is_free;
}

/// The first of `count` consecutive free TCP ports, from 20,000 to 32,767: below those that Linux
/// gives to outgoing connections (net.ipv4.ip_local_port_range, 32768 to 60999 by default). Each
/// call starts to look where another process or an earlier call most likely does not; 0: none.
inline std::uint16_t free_port(int count = 1) {
  constexpr int kFirst = 20'000, kPorts = 12'768, kMostAtOnce = 8;
  static std::atomic<int> calls{0};
  const int start = getpid() * 131 + kMostAtOnce * calls++;
  for (int i = 0; i < kPorts; ++i) {
    const int first = kFirst + (start % kPorts + i) % (kPorts - count + 1);
    bool are_free = true;
    for (int next = 0; next < count && are_free; ++next)
      are_free = is_free_port(static_cast<std::uint16_t>(first + next));
    if (are_free) return static_cast<std::uint16_t>(first);
  }
  return 0;
}

}  // namespace railyard::testing
