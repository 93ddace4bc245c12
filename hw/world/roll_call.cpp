#include "hw/world/roll_call.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <netinet/in.h>
#include <optional>
#include <poll.h>
#include <random>
#include <sstream>
#include <sys/socket.h>
#include <thread>
#include <vector>

#include "hw/world/listen_address.hpp"
#include "hw/world/reception.hpp"

namespace railyard::hw {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// Signs of life on the wire: first "nonce process", then single letters.
constexpr char kAlive = '.';
constexpr char kBye = 'b';
constexpr milliseconds kLookEvery{100};
constexpr milliseconds kSignEvery{500};
constexpr milliseconds kConnectTime{2000};
constexpr milliseconds kLateConnection{50};
constexpr const char* kLoopback = "127.0.0.1";

bool write_sign(const TcpLink& link, char sign) {
  return send(link.socket(), &sign, 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
}

/// A connection to a numeric address within kConnectTime, or one that is not open.
TcpLink connected(const std::string& host, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  if (inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1) return {};
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (socket < 0) return {};
  TcpLink link(socket);
  const auto* any = reinterpret_cast<const sockaddr*>(&address);
  if (connect(socket, any, sizeof(address)) == 0) return link;
  if (errno != EINPROGRESS) return {};
  pollfd wait{socket, POLLOUT, 0};
  if (poll(&wait, 1, static_cast<int>(kConnectTime.count())) != 1) return {};
  int error = 0;
  socklen_t length = sizeof(error);
  getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length);
  return error == 0 ? std::move(link) : TcpLink();
}

/// The network namespace of this process: connections to 127.0.0.1 stay within it.
std::string network_namespace() {
  std::error_code unknown;
  return own_place().machine + std::filesystem::read_symlink("/proc/self/ns/net", unknown).string();
}

/// 64 random bits that only the processes of this run know.
std::string drawn_nonce() {
  std::random_device draw;
  return fmt::format("{:08x}{:08x}", draw(), draw());
}

std::string process_text(const World& world, std::uint32_t process) {
  return fmt::format("{} (process {})", place_text(world, process), world.places()[process].pid);
}

}  // namespace

/// Process 0: listens, and watches all processes that have connected.
class RollCall::Root {
 public:
  /// `stays_here`: all processes share this network namespace.
  Root(World& world, Time timeout, Fail fail, bool stays_here)
      : world_(world),
        // Half of the timeout of calls, so that a hanging process is reported before those that
        // wait for it time out.
        silence_(timeout == Time() ? milliseconds(0)
                                   : std::max(4 * kSignEvery,
                                              milliseconds(timeout.picoseconds() / 2'000'000'000))),
        fail_(std::move(fail)),
        nonce_(drawn_nonce()),
        reception_([this](const std::string& text) { return process_of(text).has_value(); }) {
    const std::string chosen = bind_of_environment();
    if (!chosen.empty())
      addresses_ = listen_addresses("", chosen);
    else if (stays_here)
      addresses_ = {kLoopback};
    if (!reception_.listen(addresses_, 0).empty()) return;
    if (addresses_.empty()) addresses_ = reachable_addresses();
    thread_ = std::thread([this] { run(); });
  }

  ~Root() {
    ends_ = true;
    if (!thread_.joinable()) return;
    thread_.join();
    // In a short run a process may still be connecting. It too must get the goodbye.
    while (peers_.size() + 1 < world_.processes() && accept_within(kLateConnection)) {
    }
    for (const Peer& peer : peers_) (void)write_sign(peer.link, kBye);
  }

  /// Text for the other processes: "NONCE PORT ADDRESS ADDRESS ...".
  [[nodiscard]] std::string invitation() const {
    return fmt::format("{} {} {}", nonce_, reception_.port(), fmt::join(addresses_, " "));
  }

 private:
  struct Peer {
    TcpLink link;
    std::uint32_t process = 0;
    Clock::time_point seen = Clock::now();
    bool left = false;
  };

  void run() {
    while (!ends_) {
      (void)accept_within(kLookEvery);
      std::vector<pollfd> waits;
      for (const Peer& peer : peers_) waits.push_back({peer.link.socket(), POLLIN, 0});
      poll(waits.data(), waits.size(), 0);
      const auto now = Clock::now();
      for (std::size_t i = 0; i < waits.size() && !ends_; ++i) {
        Peer& peer = peers_[i];
        if (waits[i].revents != 0) read_from(peer, now);
        if (silence_ > milliseconds(0) && !peer.left && now - peer.seen > silence_)
          lost(peer, fmt::format("has given no sign of life for {}",
                                 core::to_text(Time::milliseconds(silence_.count()))));
      }
      std::erase_if(peers_, [](const Peer& peer) { return peer.left; });
    }
  }

  /// Accepts the next process; false if none connects in time.
  bool accept_within(milliseconds time) {
    Reception::Arrival arrival;
    if (!reception_.next(arrival, Clock::now() + time).empty()) return false;
    peers_.push_back({.link = std::move(arrival.link), .process = *process_of(arrival.text)});
    return true;
  }

  void read_from(Peer& peer, Clock::time_point now) {
    std::array<char, 256> signs{};
    const ssize_t length = recv(peer.link.socket(), signs.data(), signs.size(), MSG_DONTWAIT);
    if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (length <= 0) {
      lost(peer, "is gone");
      return;
    }
    peer.seen = now;
    peer.left = std::find(signs.begin(), signs.begin() + length, kBye) != signs.begin() + length;
  }

  /// The process number in "NONCE PROCESS"; nothing if the nonce belongs to another run.
  [[nodiscard]] std::optional<std::uint32_t> process_of(const std::string& text) const {
    const std::string start = nonce_ + ' ';
    if (!text.starts_with(start)) return std::nullopt;
    std::uint32_t process = 0;
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data() + start.size(), last, process);
    if (error != std::errc() || end != last || process >= world_.processes()) return std::nullopt;
    return process;
  }

  void lost(Peer& peer, const std::string& what) {
    peer.left = true;
    if (ends_) return;
    for (const Peer& other : peers_) {
      // The others end without a message, because this failure is the cause.
      if (!other.left) (void)write_sign(other.link, kBye);
    }
    fail_(fmt::format("{} {}", process_text(world_, peer.process), what));
  }

  World& world_;
  milliseconds silence_;
  Fail fail_;
  std::string nonce_;
  Reception reception_;
  std::vector<std::string> addresses_;
  std::vector<Peer> peers_;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

/// Every other process: sends signs of life, and notices if process 0 ends.
class RollCall::Follower {
 public:
  Follower(World& world, const std::string& invitation, Fail fail)
      : world_(world), fail_(std::move(fail)) {
    std::istringstream words(invitation);
    std::string nonce;
    std::uint16_t port = 0;
    words >> nonce >> port;
    if (port == 0) return;
    const std::string name = fmt::format("{} {}", nonce, world.process());
    // A loopback address is useful only on process 0's own machine.
    for (std::string address; words >> address && !link_.is_open();) {
      if (address == kLoopback && world.places()[0].host != own_place().host) continue;
      TcpLink link = connected(address, port);
      if (link.is_open() && link.send(name, Clock::now() + kConnectTime).empty())
        link_ = std::move(link);
    }
    if (link_.is_open()) thread_ = std::thread([this] { run(); });
  }

  ~Follower() {
    ends_ = true;
    if (thread_.joinable()) thread_.join();
    if (link_.is_open()) (void)write_sign(link_, kBye);
  }

 private:
  void run() {
    auto next = Clock::now();
    while (!ends_) {
      if (Clock::now() >= next) {
        (void)write_sign(link_, kAlive);
        next = Clock::now() + kSignEvery;
      }
      pollfd wait{link_.socket(), POLLIN, 0};
      if (poll(&wait, 1, static_cast<int>(kLookEvery.count())) <= 0) continue;
      char sign = 0;
      const ssize_t length = recv(link_.socket(), &sign, 1, MSG_DONTWAIT);
      if (length < 0 && (errno == EAGAIN || errno == EINTR)) continue;
      if (length == 1 && sign == kBye) return;
      if (!ends_) fail_(process_text(world_, 0) + " is gone");
      return;
    }
  }

  World& world_;
  Fail fail_;
  TcpLink link_;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

RollCall::RollCall(World& world, Time timeout, Fail fail) {
  if (world.processes() == 1) return;
  const bool is_root = world.process() == 0;
  const std::vector<std::string> networks = world.gather(network_namespace());
  if (is_root)
    root_ = std::make_unique<Root>(
        world, timeout, fail,
        std::ranges::all_of(networks, [&](const auto& one) { return one == networks.front(); }));
  const std::string invitation = world.broadcast(is_root ? root_->invitation() : "");
  if (!is_root) follower_ = std::make_unique<Follower>(world, invitation, std::move(fail));
}

RollCall::~RollCall() = default;

}  // namespace railyard::hw
