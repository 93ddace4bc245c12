#include "hw/world/listen_address.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ifaddrs.h>
#include <memory>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/diagnostic.hpp"

namespace railyard::hw {
namespace {

struct AddressFree {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
  void operator()(ifaddrs* list) const { freeifaddrs(list); }
};

std::string numeric_text(const sockaddr* address) {
  char text[INET6_ADDRSTRLEN] = {};
  const void* bytes = nullptr;
  if (address->sa_family == AF_INET)
    bytes = &reinterpret_cast<const sockaddr_in*>(address)->sin_addr;
  else if (address->sa_family == AF_INET6)
    bytes = &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
  if (bytes == nullptr || inet_ntop(address->sa_family, bytes, text, sizeof text) == nullptr)
    return {};
  return text;
}

void add_once(std::string text, std::vector<std::string>& texts) {
  if (!text.empty() && std::ranges::find(texts, text) == texts.end())
    texts.push_back(std::move(text));
}

/// Every address of this host's interfaces.
std::vector<std::string> own_addresses() {
  std::vector<std::string> own;
  ifaddrs* found = nullptr;
  if (getifaddrs(&found) != 0) return own;
  const std::unique_ptr<ifaddrs, AddressFree> list(found);
  for (const ifaddrs* at = list.get(); at != nullptr; at = at->ifa_next)
    if (at->ifa_addr != nullptr) add_once(numeric_text(at->ifa_addr), own);
  return own;
}

bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

/// The addresses of a name that belong to this host.
std::vector<std::string> addresses_here(const std::string& name) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  std::vector<std::string> here;
  if (getaddrinfo(name.c_str(), nullptr, &wanted, &found) != 0) return here;
  const std::unique_ptr<addrinfo, AddressFree> list(found);
  const std::vector<std::string> own = own_addresses();
  for (const addrinfo* at = list.get(); at != nullptr; at = at->ai_next) {
    const std::string text = numeric_text(at->ai_addr);
    if (is_loopback(text) || std::ranges::find(own, text) != own.end()) add_once(text, here);
  }
  return here;
}

}  // namespace

std::string bind_of_environment() {
  const char* value = std::getenv("RAILYARD_BIND");
  return value == nullptr ? "" : value;
}

std::vector<std::string> listen_addresses(const std::string& master, const std::string& chosen) {
  if (chosen == "any") return {};
  if (!chosen.empty()) {
    std::vector<std::string> here = addresses_here(chosen);
    if (here.empty())
      throw InputError("", "RAILYARD_BIND", fmt::format("'{}' is no address of this host", chosen),
                       "an address or name of it, or 'any'");
    return here;
  }
  std::vector<std::string> here = addresses_here(master);
  if (master == "localhost" || is_loopback(master)) return here;
  std::erase_if(here, is_loopback);
  return here;
}

namespace {

/// A socket that is bound and listens; -1 with errno.
int listening_at(const sockaddr* address, socklen_t length) {
  const int listener = ::socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (listener < 0) return -1;
  const int on = 1, off = 0;
  (void)setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (address->sa_family == AF_INET6)
    (void)setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  if (::bind(listener, address, length) == 0 && ::listen(listener, SOMAXCONN) == 0) return listener;
  const int reason = errno;
  ::close(listener);
  errno = reason;
  return -1;
}

}  // namespace

int listening_socket(const std::string& address, std::uint16_t port, std::string& error) {
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(port);
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_port = htons(port);
  const bool is_six = address.empty() || inet_pton(AF_INET6, address.c_str(), &six.sin6_addr) == 1;
  int listener = -1;
  if (is_six) listener = listening_at(reinterpret_cast<const sockaddr*>(&six), sizeof six);
  // Without IPv6 in the kernel, listen on all IPv4 addresses.
  const bool tries_four = address.empty()
                              ? listener < 0 && errno != EADDRINUSE && errno != EACCES
                              : !is_six && inet_pton(AF_INET, address.c_str(), &four.sin_addr) == 1;
  if (tries_four) listener = listening_at(reinterpret_cast<const sockaddr*>(&four), sizeof four);
  if (listener < 0) error = std::strerror(errno);
  return listener;
}

std::vector<std::string> reachable_addresses() {
  std::vector<std::string> addresses;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) == 0) {
    for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
      const bool is_up = (one->ifa_flags & IFF_UP) != 0 && (one->ifa_flags & IFF_LOOPBACK) == 0;
      if (!is_up || one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
      char text[INET_ADDRSTRLEN] = {};
      const auto* address = reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
      if (inet_ntop(AF_INET, &address->sin_addr, text, sizeof(text)) != nullptr)
        addresses.emplace_back(text);
    }
    freeifaddrs(list);
  }
  addresses.emplace_back("127.0.0.1");
  return addresses;
}

}  // namespace railyard::hw
