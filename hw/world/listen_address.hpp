#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace railyard::hw {

/// The value of RAILYARD_BIND, which sets the listening address of process 0; "" if it is not set.
[[nodiscard]] std::string bind_of_environment();

/// Numeric addresses on which process 0 listens; empty: all of this host.
/// `chosen` (RAILYARD_BIND) is an address or a name of this host, or "any"; otherwise InputError is
/// thrown. If it is empty, the result is the addresses of `master` (MASTER_ADDR) on this host, so
/// that other networks cannot reach the port. It is all addresses if this host has none of these (a
/// service forwards to it), or if a name other than localhost is only a loopback address here
/// (Debian's 127.0.1.1), because other hosts resolve it to another address.
[[nodiscard]] std::vector<std::string> listen_addresses(const std::string& master,
                                                        const std::string& chosen);

/// A nonblocking file descriptor that listens on a numeric address and port (0: any free one), or
/// -1 with the reason in `error`. "": all addresses of both families.
[[nodiscard]] int listening_socket(const std::string& address, std::uint16_t port,
                                   std::string& error);

/// IPv4 addresses of this host, network addresses before the loopback address.
[[nodiscard]] std::vector<std::string> reachable_addresses();

}  // namespace railyard::hw
