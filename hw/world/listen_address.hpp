#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace railyard::hw {

/// The value of RAILYARD_BIND, which sets the listening address of process 0; "" if it is not set.
[[nodiscard]] std::string bind_of_environment();

/// Numeric addresses that process 0 listens at; empty: all of this host.
///   `chosen` (RAILYARD_BIND) is an address or a name of this host, or "any". Throws InputError
///     where it is not.
///   Otherwise `master` (MASTER_ADDR): its addresses on this host, so that other networks cannot
///     reach the port; all where none is (a service in front of it), and where a name other than
///     localhost leads to this host alone (Debian's 127.0.1.1), since others see another address.
[[nodiscard]] std::vector<std::string> listen_addresses(const std::string& master,
                                                        const std::string& chosen);

/// A file descriptor that listens at a numeric address and port (0: any free one), without
/// blocking, or -1 with the reason in `error`. "": all addresses of both families.
[[nodiscard]] int listening_socket(const std::string& address, std::uint16_t port,
                                   std::string& error);

/// IPv4 addresses of this host, network addresses before the loopback address.
[[nodiscard]] std::vector<std::string> reachable_addresses();

}  // namespace railyard::hw
