#include "hw/world/reception.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "hw/world/listen_address.hpp"

namespace railyard::hw {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// Time for a connection to identify itself; processes of the run do so immediately.
constexpr milliseconds kFirstText{5000};
constexpr std::size_t kLongestFirstText = 1024;
constexpr std::size_t kMostPending = 256;
/// Pause before accepting again on a host without free descriptors.
constexpr milliseconds kNoDescriptors{100};

std::uint16_t port_of(int listener) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length) != 0) return 0;
  return ntohs(address.ss_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                   : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

}  // namespace

Reception::~Reception() {
  for (const int listener : listeners_) ::close(listener);
}

std::string Reception::listen(const std::vector<std::string>& addresses, std::uint16_t port) {
  port_ = port;
  for (const std::string& address : addresses.empty() ? std::vector<std::string>{""} : addresses) {
    std::string error;
    const int listener = listening_socket(address, port_, error);
    if (listener < 0) return error;
    listeners_.push_back(listener);
    port_ = port_of(listener);
  }
  return {};
}

std::string Reception::next(Arrival& arrival, Deadline deadline) {
  for (;;) {
    drop_late();
    std::vector<pollfd> waits;
    for (const int listener : listeners_) waits.push_back({listener, POLLIN, 0});
    for (const Pending& one : pending_) waits.push_back({one.link.socket(), POLLIN, 0});
    const int ready = poll(waits.data(), waits.size(), wait_ms(deadline));
    if (ready < 0 && errno != EINTR) return std::strerror(errno);
    // From the last one on, so that dropping one does not move those still to come.
    for (std::size_t i = waits.size(); ready > 0 && i-- > listeners_.size();) {
      if (waits[i].revents == 0) continue;
      const std::size_t index = i - listeners_.size();
      Pending& one = pending_[index];
      std::string text;
      const FirstText found = one.link.read_first(one.bytes, kLongestFirstText, text);
      if (found == FirstText::incomplete) continue;
      if (found == FirstText::complete && recognise_(text)) {
        arrival = {std::move(one.link), std::move(text)};
        pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(index));
        return {};
      }
      drop(index);
    }
    for (std::size_t i = 0; ready > 0 && i < listeners_.size(); ++i)
      if (waits[i].revents != 0) admit(listeners_[i]);
    if (deadline && Clock::now() >= *deadline) return TcpLink::kTimedOut;
  }
}

void Reception::admit(int listener) {
  const int socket = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (socket < 0) {
    if (errno == EMFILE || errno == ENFILE) std::this_thread::sleep_for(kNoDescriptors);
    return;
  }
  if (pending_.size() == kMostPending) drop(0);
  pending_.push_back({TcpLink(socket), {}, Clock::now() + kFirstText});
}

void Reception::drop(std::size_t index) {
  pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(index));
  ++rejected_connections_;
}

void Reception::drop_late() {
  const auto now = Clock::now();
  while (!pending_.empty() && pending_.front().until <= now) drop(0);
}

int Reception::wait_ms(Deadline deadline) const {
  Deadline first = deadline;
  if (!pending_.empty() && (!first || pending_.front().until < *first))
    first = pending_.front().until;
  if (!first) return -1;
  const auto left = std::chrono::ceil<milliseconds>(*first - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1 << 30));
}

}  // namespace railyard::hw
