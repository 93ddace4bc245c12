#include "hw/world/task_server.hpp"

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

namespace railyard::hw {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr const char* kEnd = "end";
/// First character of the answer of a rank that refuses a task.
constexpr char kRefused = '!';
/// How long rank 0 still accepts ranks when all tasks are done.
constexpr auto kLateArrival = 2s;
/// How long a rank tries each address of rank 0.
constexpr auto kPerAddress = 5s;

/// With these settings a connection to a host without power ends after about a minute.
void keep_alive(const TcpLink& link) {
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

bool shares_machine(const World& world) {
  for (const ProcessPlace& place : world.places())
    if (place.machine != world.places().front().machine ||
        place.host != world.places().front().host)
      return false;
  return true;
}

}  // namespace

TaskServer::TaskServer(const World& world, std::size_t connections, TaskQueue tasks)
    : token_(drawn_token()),
      connections_(connections),
      tasks_(std::move(tasks)),
      reception_([this](const std::string& text) { return text.starts_with(token_ + " "); }) {
  for (std::uint32_t rank = 0; rank < world.processes(); ++rank)
    names_.push_back(
        fmt::format("{} (process {})", place_text(world, rank), world.places()[rank].pid));
  const std::string chosen = bind_of_environment();
  if (!chosen.empty())
    addresses_ = listen_addresses("", chosen);
  else if (shares_machine(world))
    addresses_ = {"127.0.0.1"};
  const std::string error = reception_.listen(addresses_, 0);
  if (!error.empty())
    throw BackendError(fmt::format("{}: cannot listen: {}", names_.front(), error));
  if (addresses_.empty()) addresses_ = reachable_addresses();
}

TaskServer::~TaskServer() {
  ends_ = true;
  if (accept_thread_.joinable()) accept_thread_.join();
  for (std::thread& servant : connection_threads_) servant.join();
}

std::string TaskServer::invitation() const {
  return fmt::format("{} {} {}", token_, reception_.port(), fmt::join(addresses_, " "));
}

void TaskServer::start() {
  accept_thread_ = std::thread([this] { welcome(); });
}

void TaskServer::finish() {
  ends_ = true;
  accept_thread_.join();
  for (std::thread& servant : connection_threads_) servant.join();
  connection_threads_.clear();
}

void TaskServer::welcome() {
  auto last = Clock::time_point::max();
  for (std::size_t come = 0; come < connections_;) {
    if (ends_ && last == Clock::time_point::max()) last = Clock::now() + kLateArrival;
    if (Clock::now() > last) return;
    Reception::Arrival arrival;
    if (!reception_.next(arrival, Clock::now() + 100ms).empty()) continue;
    ++come;
    const std::size_t rank = number_in(std::string_view(arrival.text).substr(token_.size() + 1));
    keep_alive(arrival.link);
    connection_threads_.emplace_back(
        [this, link = std::make_shared<TcpLink>(std::move(arrival.link)),
         name = rank < names_.size() ? names_[rank] : "a rank"] { serve(*link, name); });
  }
}

void TaskServer::serve(const TcpLink& link, const std::string& name) {
  while (const auto task = tasks_.next())
    if (!ask(link, name, *task)) return;
  (void)link.send(kEnd, Clock::now() + 5s);
}

bool TaskServer::ask(const TcpLink& link, const std::string& name, std::size_t task) {
  std::string answer;
  std::string error = link.send(fmt::format("{} {}", task, tasks_.digest(task)), std::nullopt);
  if (error.empty()) error = link.receive(answer, std::nullopt);
  if (error.empty() && !answer.starts_with(kRefused)) {
    tasks_.done(task, answer);
    return true;
  }
  tasks_.note(error.empty() ? fmt::format("{}: {}", name, answer.substr(1))
                            : fmt::format("{} is gone; another rank runs its task", name));
  tasks_.lost(task);
  return false;
}

namespace {

TcpLink connected(const std::vector<std::string>& addresses, std::uint16_t port) {
  std::string error = "no address";
  for (const std::string& address : addresses) {
    TcpLink link;
    error = connect(link, address, port, Clock::now() + kPerAddress);
    if (error.empty()) return link;
  }
  throw BackendError(
      fmt::format("rank 0 cannot be reached at {}: {}", fmt::join(addresses, ", "), error));
}

void work(const TcpLink& link, const TaskRunner& runner) {
  for (;;) {
    std::string text;
    if (const std::string error = link.receive(text, std::nullopt); !error.empty())
      throw BackendError("rank 0 is gone: " + error);
    if (text == kEnd) return;
    const std::size_t task = number_in(text);
    const std::string digest = text.substr(std::min(text.find(' '), text.size() - 1) + 1);
    const std::string answer =
        runner.digest(task) == digest
            ? runner.run(task)
            : fmt::format("{}its input files or its railyard differ from those of rank 0",
                          kRefused);
    if (const std::string error = link.send(answer, std::nullopt); !error.empty())
      throw BackendError("rank 0 is gone: " + error);
    if (answer.front() == kRefused) return;
  }
}

}  // namespace

void work_for_rank_zero(const std::string& invitation, std::uint32_t rank, int threads,
                        const TaskRunner& runner) {
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
      const TcpLink link = connected(addresses, port);
      if (!link.send(fmt::format("{} {}", token, rank), std::nullopt).empty())
        throw BackendError("rank 0 is gone");
      work(link, runner);
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

}  // namespace railyard::hw
