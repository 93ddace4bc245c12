#include "hw/world/roll_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <arpa/inet.h>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <random>
#include <sstream>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace railyard::hw {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// Signs on the wire: who it is ("nonce process\n"), then one letter at a time.
constexpr char kAlive = '.';
constexpr char kBye = 'b';
constexpr milliseconds kLookEvery{100};
constexpr milliseconds kSignEvery{500};
constexpr int kConnectMs = 2000;

/// A file descriptor that is closed with its owner.
class Socket {
 public:
  explicit Socket(int descriptor = -1) : descriptor_(descriptor) {}
  ~Socket() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Socket(Socket&& other) noexcept : descriptor_(other.descriptor_) { other.descriptor_ = -1; }
  Socket& operator=(Socket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  [[nodiscard]] int get() const { return descriptor_; }
  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  [[nodiscard]] bool write(const std::string& text) const {
    return send(descriptor_, text.data(), text.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(text.size());
  }

 private:
  int descriptor_;
};

/// IPv4 addresses of this host, those of networks before the one of itself.
std::vector<std::string> own_addresses() {
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

Socket connected(const std::string& host, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  if (inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1) return Socket();
  Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) return Socket();
  const auto* any = reinterpret_cast<const sockaddr*>(&address);
  if (connect(socket.get(), any, sizeof(address)) == 0) return socket;
  if (errno != EINPROGRESS) return Socket();
  pollfd wait{socket.get(), POLLOUT, 0};
  if (poll(&wait, 1, kConnectMs) != 1) return Socket();
  int error = 0;
  socklen_t length = sizeof(error);
  getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &length);
  return error == 0 ? std::move(socket) : Socket();
}

std::string process_text(const World& world, std::uint32_t process) {
  return fmt::format("{} (process {})", place_text(world, process), world.places()[process].pid);
}

}  // namespace

/// Process 0: listens, and looks after all who have come.
class RollCall::Root {
 public:
  Root(World& world, Time timeout, Fail fail)
      : world_(world),
        // Half of what a call has, so that who hangs is named before those who wait for it give up.
        silence_(timeout == Time() ? milliseconds(0)
                                   : std::max(4 * kSignEvery,
                                              milliseconds(timeout.picoseconds() / 2'000'000'000))),
        fail_(std::move(fail)),
        nonce_(fmt::format("{:016x}", std::random_device{}() * 0x9e3779b97f4a7c15ULL)) {
    listener_ = Socket(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    socklen_t length = sizeof(address);
    auto* any = reinterpret_cast<sockaddr*>(&address);
    if (bind(listener_.get(), any, length) != 0 || listen(listener_.get(), SOMAXCONN) != 0 ||
        getsockname(listener_.get(), any, &length) != 0)
      return;
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { run(); });
  }

  ~Root() {
    ends_ = true;
    if (thread_.joinable()) thread_.join();
    for (const Peer& peer : peers_) (void)peer.socket.write(std::string(1, kBye));
  }

  /// "NONCE PORT ADDRESS ADDRESS ..." for the others.
  [[nodiscard]] std::string invitation() const {
    std::string text = fmt::format("{} {}", nonce_, port_);
    for (const std::string& address : own_addresses()) text += " " + address;
    return text;
  }

 private:
  struct Peer {
    Socket socket;
    std::string name;  ///< what came before its first line is complete
    std::int64_t process = -1;
    Clock::time_point seen = Clock::now();
    bool left = false;
  };

  void run() {
    while (!ends_) {
      std::vector<pollfd> waits{{listener_.get(), POLLIN, 0}};
      for (const Peer& peer : peers_) {
        waits.push_back({peer.left ? -1 : peer.socket.get(), POLLIN, 0});
      }
      poll(waits.data(), waits.size(), static_cast<int>(kLookEvery.count()));
      const auto now = Clock::now();
      for (std::size_t i = 0; i + 1 < waits.size(); ++i) {
        if (waits[i + 1].revents != 0) read_from(peers_[i], now);
        if (silence_ > milliseconds(0) && !peers_[i].left && now - peers_[i].seen > silence_)
          lost(peers_[i], fmt::format("has given no sign of life for {}",
                                      core::to_text(Time::milliseconds(silence_.count()))));
      }
      if (waits[0].revents != 0) welcome();
    }
  }

  void welcome() {
    Socket socket(accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket.is_open()) return;
    Peer& peer = peers_.emplace_back();
    peer.socket = std::move(socket);
  }

  void read_from(Peer& peer, Clock::time_point now) {
    char text[256];
    const ssize_t length = recv(peer.socket.get(), text, sizeof(text), 0);
    if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (length <= 0) {
      lost(peer, "is gone");
      return;
    }
    peer.seen = now;
    for (ssize_t i = 0; i < length; ++i) {
      if (peer.process >= 0)
        peer.left = peer.left || text[i] == kBye;
      else if (text[i] != '\n')
        peer.name += text[i];
      else
        introduce(peer);
    }
  }

  /// Who does not know the nonce is no process of this run.
  void introduce(Peer& peer) const {
    const bool knows = peer.name.starts_with(nonce_ + ' ');
    peer.left = !knows;
    peer.process = knows ? std::stoll(peer.name.substr(nonce_.size())) : 0;
  }

  void lost(Peer& peer, const std::string& what) {
    peer.left = true;
    if (peer.process < 0 || ends_) return;
    for (const Peer& other : peers_) {
      // The others end without a word: this message is the one that matters.
      if (!other.left) (void)other.socket.write(std::string(1, kBye));
    }
    fail_(
        fmt::format("{} {}", process_text(world_, static_cast<std::uint32_t>(peer.process)), what));
  }

  World& world_;
  milliseconds silence_;
  Fail fail_;
  std::string nonce_;
  Socket listener_;
  std::uint16_t port_ = 0;
  std::vector<Peer> peers_;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

/// Any other process: gives signs of life, and notices the end of process 0.
class RollCall::Follower {
 public:
  Follower(World& world, const std::string& invitation, Fail fail)
      : world_(world), fail_(std::move(fail)) {
    std::istringstream words(invitation);
    std::string nonce;
    std::uint16_t port = 0;
    words >> nonce >> port;
    if (port == 0) return;
    const std::string name = fmt::format("{} {}\n", nonce, world.process());
    // The address of itself is of use to those on process 0's machine alone.
    for (std::string address; words >> address && !socket_.is_open();) {
      if (address == "127.0.0.1" && world.places()[0].host != own_place().host) continue;
      Socket socket = connected(address, port);
      if (socket.is_open() && socket.write(name)) socket_ = std::move(socket);
    }
    if (socket_.is_open()) thread_ = std::thread([this] { run(); });
  }

  ~Follower() {
    ends_ = true;
    if (thread_.joinable()) thread_.join();
    if (socket_.is_open()) (void)socket_.write(std::string(1, kBye));
  }

 private:
  void run() {
    auto next = Clock::now();
    while (!ends_) {
      if (Clock::now() >= next) {
        (void)socket_.write(std::string(1, kAlive));
        next = Clock::now() + kSignEvery;
      }
      pollfd wait{socket_.get(), POLLIN, 0};
      if (poll(&wait, 1, static_cast<int>(kLookEvery.count())) <= 0) continue;
      char sign = 0;
      const ssize_t length = recv(socket_.get(), &sign, 1, 0);
      if (length < 0 && (errno == EAGAIN || errno == EINTR)) continue;
      if (length == 1 && sign == kBye) return;
      if (!ends_) fail_(process_text(world_, 0) + " is gone");
      return;
    }
  }

  World& world_;
  Fail fail_;
  Socket socket_;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

RollCall::RollCall(World& world, Time timeout, Fail fail) {
  if (world.processes() == 1) return;
  const bool is_root = world.process() == 0;
  if (is_root) root_ = std::make_unique<Root>(world, timeout, fail);
  const std::string invitation = world.broadcast(is_root ? root_->invitation() : "");
  if (!is_root) follower_ = std::make_unique<Follower>(world, invitation, std::move(fail));
}

RollCall::~RollCall() = default;

}  // namespace railyard::hw
