#include "hw/world/tcp_link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace railyard::hw {
namespace {

using Clock = std::chrono::steady_clock;

/// Step in which the memory of a text grows.
constexpr std::size_t kPiece = std::size_t{1} << 20;

std::string system_error() { return std::strerror(errno); }

/// Milliseconds for poll(); -1: no limit.
int remaining(Deadline deadline) {
  if (!deadline) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1 << 30));
}

std::string wait_for(int socket, short events, Deadline deadline) {
  pollfd waited{.fd = socket, .events = events, .revents = 0};
  for (;;) {
    const int ready = poll(&waited, 1, remaining(deadline));
    if (ready > 0) return {};
    if (ready == 0) return TcpLink::kTimedOut;
    if (errno != EINTR) return system_error();
  }
}

std::string write_all(int socket, const char* bytes, std::size_t count, Deadline deadline) {
  while (count > 0) {
    if (std::string error = wait_for(socket, POLLOUT, deadline); !error.empty()) return error;
    const ssize_t written = ::send(socket, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (written < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (written < 0) return system_error();
    bytes += written;
    count -= static_cast<std::size_t>(written);
  }
  return {};
}

std::string read_all(int socket, char* bytes, std::size_t count, Deadline deadline) {
  while (count > 0) {
    if (std::string error = wait_for(socket, POLLIN, deadline); !error.empty()) return error;
    const ssize_t got = ::recv(socket, bytes, count, MSG_DONTWAIT);
    if (got == 0) return "it closed the connection";
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) return system_error();
    bytes += got;
    count -= static_cast<std::size_t>(got);
  }
  return {};
}

void set_nodelay(int socket) {
  const int on = 1;
  (void)setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

struct AddressFree {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};

/// Tries every address of the host once.
std::string try_connect(TcpLink& link, const addrinfo* list) {
  std::string error = "no address";
  for (const addrinfo* at = list; at != nullptr; at = at->ai_next) {
    const int socket = ::socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol);
    if (socket < 0) continue;
    TcpLink attempt(socket);
    if (::connect(socket, at->ai_addr, at->ai_addrlen) == 0) {
      link = std::move(attempt);
      return {};
    }
    error = system_error();
  }
  return error;
}

}  // namespace

TcpLink::TcpLink(int socket) : socket_(socket) { set_nodelay(socket); }
TcpLink::~TcpLink() {
  if (socket_ >= 0) close(socket_);
}
TcpLink::TcpLink(TcpLink&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
TcpLink& TcpLink::operator=(TcpLink&& other) noexcept {
  std::swap(socket_, other.socket_);
  return *this;
}

std::string TcpLink::send(std::string_view text, Deadline deadline) const {
  const std::uint64_t length = text.size();
  std::string framed(sizeof length + text.size(), '\0');
  std::memcpy(framed.data(), &length, sizeof length);
  std::copy(text.begin(), text.end(), framed.begin() + sizeof length);
  return write_all(socket_, framed.data(), framed.size(), deadline);
}

std::string TcpLink::receive(std::string& text, Deadline deadline, std::size_t most) const {
  std::uint64_t length = 0;
  std::array<char, sizeof length> head{};
  if (std::string error = read_all(socket_, head.data(), head.size(), deadline); !error.empty())
    return error;
  std::memcpy(&length, head.data(), sizeof length);
  if (length > most) return "it speaks another protocol";
  text.clear();
  while (text.size() < length) {
    const std::size_t before = text.size();
    text.resize(before + std::min<std::size_t>(kPiece, length - before));
    if (std::string error = read_all(socket_, text.data() + before, text.size() - before, deadline);
        !error.empty())
      return error;
  }
  return {};
}

FirstText TcpLink::read_first(std::string& bytes, std::size_t most, std::string& text) const {
  std::uint64_t length = 0;
  // Never read more than the first text, or more than its length while that is unknown.
  for (;;) {
    std::size_t wanted = sizeof length;
    if (bytes.size() >= sizeof length) {
      std::memcpy(&length, bytes.data(), sizeof length);
      if (length > most) return FirstText::wrong;
      wanted += length;
    }
    if (bytes.size() >= sizeof length && bytes.size() == wanted) {
      text = bytes.substr(sizeof length);
      return FirstText::complete;
    }
    const std::size_t before = bytes.size();
    bytes.resize(wanted);
    const ssize_t got = ::recv(socket_, bytes.data() + before, wanted - before, MSG_DONTWAIT);
    bytes.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) return FirstText::wrong;
    if (got < 0)
      return errno == EAGAIN || errno == EINTR ? FirstText::incomplete : FirstText::wrong;
  }
}

std::string connect(TcpLink& link, const std::string& address, std::uint16_t port,
                    Deadline deadline) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int result =
          getaddrinfo(address.c_str(), std::to_string(port).c_str(), &wanted, &found);
      result != 0)
    return gai_strerror(result);
  const std::unique_ptr<addrinfo, AddressFree> list(found);
  for (;;) {
    std::string error = try_connect(link, list.get());
    if (error.empty()) return {};
    if (deadline && Clock::now() >= *deadline) return error;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

}  // namespace railyard::hw
