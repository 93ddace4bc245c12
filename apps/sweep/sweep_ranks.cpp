#include "apps/sweep/sweep_ranks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <chrono>
#include <exception>
#include <mutex>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <random>
#include <sstream>
#include <sys/socket.h>

#include "core/diagnostic.hpp"
#include "hw/world/listen_address.hpp"

namespace railyard::apps {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr const char* kEnd = "end";
/// Begins the answer of a rank that cannot run a point.
constexpr char kRefused = '!';
/// How long rank 0 waits for ranks that have not come when all points are done.
constexpr auto kAtTheDoor = 2s;
/// How long a rank tries each address of rank 0.
constexpr auto kPerAddress = 5s;

/// A connection to a host that lost its power ends after about a minute.
void keep_alive(const hw::TcpLink& link) {
  const int on = 1, idle = 30, interval = 10, count = 3;
  (void)setsockopt(link.socket(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  (void)setsockopt(link.socket(), IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  (void)setsockopt(link.socket(), IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
  (void)setsockopt(link.socket(), IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
}

std::string drawn_token() {
  std::random_device draw;
  return fmt::format("{:08x}{:08x}", draw(), draw());
}

std::size_t number_in(std::string_view text) {
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

bool shares_machine(const hw::World& world) {
  for (const hw::ProcessPlace& place : world.places())
    if (place.machine != world.places().front().machine ||
        place.host != world.places().front().host)
      return false;
  return true;
}

}  // namespace

RankServer::RankServer(const hw::World& world, std::size_t connections,
                       core::sweep::HandOut& points, Calls calls)
    : token_(drawn_token()),
      connections_(connections),
      points_(points),
      calls_(std::move(calls)),
      reception_([this](const std::string& text) { return text.starts_with(token_ + " "); }) {
  for (std::uint32_t rank = 0; rank < world.processes(); ++rank)
    names_.push_back(
        fmt::format("{} (process {})", hw::place_text(world, rank), world.places()[rank].pid));
  const std::string chosen = hw::bind_of_environment();
  if (!chosen.empty())
    addresses_ = hw::listen_addresses("", chosen);
  else if (shares_machine(world))
    addresses_ = {"127.0.0.1"};
  const std::string error = reception_.listen(addresses_, 0);
  if (!error.empty())
    throw BackendError(fmt::format("{}: cannot listen: {}", names_.front(), error));
  if (addresses_.empty()) addresses_ = hw::reachable_addresses();
}

RankServer::~RankServer() {
  ends_ = true;
  if (door_.joinable()) door_.join();
  for (std::thread& servant : servants_) servant.join();
}

std::string RankServer::invitation() const {
  return fmt::format("{} {} {}", token_, reception_.port(), fmt::join(addresses_, " "));
}

void RankServer::start() {
  door_ = std::thread([this] { welcome(); });
}

void RankServer::finish() {
  ends_ = true;
  door_.join();
  for (std::thread& servant : servants_) servant.join();
  servants_.clear();
}

void RankServer::welcome() {
  auto last = Clock::time_point::max();
  for (std::size_t come = 0; come < connections_;) {
    if (ends_ && last == Clock::time_point::max()) last = Clock::now() + kAtTheDoor;
    if (Clock::now() > last) return;
    hw::Reception::Arrival arrival;
    if (!reception_.next(arrival, Clock::now() + 100ms).empty()) continue;
    ++come;
    const std::size_t rank = number_in(std::string_view(arrival.text).substr(token_.size() + 1));
    keep_alive(arrival.link);
    servants_.emplace_back(
        [this, link = std::make_shared<hw::TcpLink>(std::move(arrival.link)),
         name = rank < names_.size() ? names_[rank] : "a rank"] { serve(*link, name); });
  }
}

void RankServer::serve(const hw::TcpLink& link, const std::string& name) {
  while (const auto point = points_.next())
    if (!ask(link, name, *point)) return;
  (void)link.send(kEnd, Clock::now() + 5s);
}

bool RankServer::ask(const hw::TcpLink& link, const std::string& name, std::size_t point) {
  std::string answer;
  std::string error = link.send(fmt::format("{} {}", point, calls_.digest(point)), std::nullopt);
  if (error.empty()) error = link.receive(answer, std::nullopt);
  if (error.empty() && !answer.starts_with(kRefused)) {
    calls_.done(point, core::sweep::outcome_of(answer));
    return true;
  }
  if (!error.empty()) calls_.note(fmt::format("{} is gone; others do its point", name));
  if (error.empty()) calls_.note(fmt::format("{}: {}", name, answer.substr(1)));
  if (!points_.give_back(point))
    calls_.done(point, {.exit_code = ExitCode::backend_missing,
                        .error = "two ranks ended while they ran this point",
                        .notes = {},
                        .seconds = 0,
                        .tables = {}});
  return false;
}

namespace {

hw::TcpLink connected(const std::vector<std::string>& addresses, std::uint16_t port) {
  std::string error = "no address";
  for (const std::string& address : addresses) {
    hw::TcpLink link;
    error = hw::connect(link, address, port, Clock::now() + kPerAddress);
    if (error.empty()) return link;
  }
  throw BackendError(
      fmt::format("rank 0 cannot be reached at {}: {}", fmt::join(addresses, ", "), error));
}

void work(const hw::TcpLink& link, const RankWork& work) {
  for (;;) {
    std::string text;
    if (const std::string error = link.receive(text, std::nullopt); !error.empty())
      throw BackendError("rank 0 is gone: " + error);
    if (text == kEnd) return;
    const std::size_t point = number_in(text);
    const std::string digest = text.substr(std::min(text.find(' '), text.size() - 1) + 1);
    const std::string answer =
        work.digest(point) == digest
            ? core::sweep::to_text(work.run(point))
            : fmt::format("{}its input files or its railyard differ from those of rank 0",
                          kRefused);
    if (const std::string error = link.send(answer, std::nullopt); !error.empty())
      throw BackendError("rank 0 is gone: " + error);
    if (answer.front() == kRefused) return;
  }
}

}  // namespace

void work_for_rank_zero(const std::string& invitation, std::uint32_t rank, int threads,
                        const RankWork& rank_work) {
  std::istringstream words(invitation);
  std::string token;
  std::uint16_t port = 0;
  words >> token >> port;
  std::vector<std::string> addresses;
  for (std::string address; words >> address;) addresses.push_back(address);
  std::mutex mutex;
  std::exception_ptr failure;
  const auto run = [&] {
    try {
      const hw::TcpLink link = connected(addresses, port);
      if (!link.send(fmt::format("{} {}", token, rank), std::nullopt).empty())
        throw BackendError("rank 0 is gone");
      work(link, rank_work);
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(run);
  run();
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace railyard::apps
