#include "hw/world/tcp_world.hpp"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <sstream>

#include "core/diagnostic.hpp"
#include "hw/world/listen_address.hpp"
#include "hw/world/reception.hpp"
#include "hw/world/tcp_link.hpp"

namespace railyard::hw {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kHello = "railyard-world-2";
/// Number of round trips for comparing clocks; the shortest is used.
constexpr int kPings = 16;
/// First letter of messages of process 0.
constexpr char kAnswer = 'a';
constexpr char kFailure = 'f';

std::int64_t steady_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch())
      .count();
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

template <class Number>
Number number_of(const char* name, const std::string& text, Number largest) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > std::uint64_t{largest}) {
    throw InputError("", name, fmt::format("'{}' is not a number from 0 to {}", text, largest));
  }
  return static_cast<Number>(value);
}

/// Longest answer to a ping, which is a number of nanoseconds.
constexpr std::size_t kLongestPing = 32;
/// Time limit for pings: processes of this run answer at once.
constexpr std::chrono::seconds kPingTime{5};
constexpr std::size_t kLongestToken = 256;

/// "railyard-world-2 TOKEN ", with which every process of a run begins; the token in hexadecimal.
std::string hello_start(const TcpPlace& place) {
  std::string text = fmt::format("{} t", kHello);
  for (const char c : place.token) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text + ' ';
}

/// "railyard-world-2 TOKEN PROCESS PROCESSES PID MACHINE HOST".
std::string hello(const TcpPlace& place, const ProcessPlace& own) {
  return fmt::format("{}{} {} {} {} {}", hello_start(place), place.process, place.processes,
                     own.pid, own.machine, own.host);
}

/// Whether `text` begins with `start`. Its duration does not reveal how much of the text is right.
bool begins_with_secret(std::string_view text, std::string_view start) {
  unsigned difference = text.size() < start.size() ? 1 : 0;
  for (std::size_t i = 0; i < start.size(); ++i)
    difference |= static_cast<unsigned char>(start[i]) ^
                  static_cast<unsigned char>(i < text.size() ? text[i] : '\0');
  return difference == 0;
}

/// What a process reported about itself.
struct Hello {
  std::uint32_t process = 0, processes = 0;
  ProcessPlace at;
};

std::optional<Hello> read_hello(const std::string& text, const std::string& start) {
  if (!begins_with_secret(text, start)) return std::nullopt;
  Hello said;
  std::istringstream words(text.substr(start.size()));
  words >> said.process >> said.processes >> said.at.pid >> said.at.machine >> said.at.host;
  return words ? std::optional(said) : std::nullopt;
}

std::string token_of_environment() {
  std::string token = environment("RAILYARD_TOKEN");
  if (token.empty()) token = environment("TORCHELASTIC_RUN_ID");
  if (token.empty() && !environment("SLURM_PROCID").empty()) token = environment("SLURM_JOB_ID");
  if (token.size() > kLongestToken)
    throw InputError("", "RAILYARD_TOKEN", fmt::format("is longer than {} bytes", kLongestToken));
  return token;
}

}  // namespace

std::optional<TcpPlace> tcp_place_of_environment() {
  const std::string rank = environment("RANK");
  const std::string size = environment("WORLD_SIZE");
  const std::string address = environment("MASTER_ADDR");
  if (rank.empty() && size.empty() && address.empty()) return std::nullopt;
  Diagnostics problems("");
  const char* hint = "RANK, WORLD_SIZE and MASTER_ADDR belong together, as torchrun sets them";
  if (rank.empty()) problems.add("RANK", "is not set", hint);
  if (size.empty()) problems.add("WORLD_SIZE", "is not set", hint);
  if (address.empty()) problems.add("MASTER_ADDR", "is not set", hint);
  problems.throw_if_any();
  constexpr std::uint32_t kMost = 1U << 20;
  TcpPlace place{.process = number_of("RANK", rank, kMost),
                 .processes = number_of("WORLD_SIZE", size, kMost),
                 .address = address};
  if (const std::string port = environment("MASTER_PORT"); !port.empty())
    place.port = number_of("MASTER_PORT", port, std::numeric_limits<std::uint16_t>::max());
  if (const std::string local = environment("LOCAL_RANK"); !local.empty())
    place.local = static_cast<int>(number_of("LOCAL_RANK", local, kMost));
  place.token = token_of_environment();
  place.bind = bind_of_environment();
  if (place.process >= place.processes) {
    throw InputError("", "RANK",
                     fmt::format("{} is not below WORLD_SIZE, {}", place.process, place.processes));
  }
  return place;
}

class TcpWorld::State {
 public:
  State(const TcpPlace& place, Time timeout) : place_(place), timeout_(timeout) {
    places_.resize(place.processes);
    links_.resize(place.process == 0 ? place.processes : 1);
    places_[place.process] = own_place();
    if (place.process == 0)
      gather_processes();
    else
      join();
  }

  [[nodiscard]] const TcpPlace& place() const { return place_; }
  [[nodiscard]] const std::vector<ProcessPlace>& places() const { return places_; }
  [[nodiscard]] std::int64_t epoch_ns() const { return epoch_ns_; }

  std::vector<std::string> gather(std::string_view mine, const char* call) {
    const Deadline by = deadline();
    std::vector<std::string> all;
    if (place_.process != 0) {
      if (const std::string error = links_[0].send(mine, by); !error.empty())
        lost_master(call, error);
      return all;
    }
    all.resize(place_.processes);
    all[0] = mine;
    for (std::uint32_t process = 1; process < place_.processes; ++process) {
      if (const std::string error = links_[process].receive(all[process], by); !error.empty())
        lost(process, call, error);
    }
    return all;
  }

  std::string broadcast(std::string_view mine, const char* call) {
    const Deadline by = deadline();
    std::string text;
    if (place_.process != 0) {
      if (const std::string error = links_[0].receive(text, by); !error.empty())
        lost_master(call, error);
      if (text.front() == kFailure) throw BackendError(text.substr(1));
      return text.substr(1);
    }
    text = kAnswer + std::string(mine);
    for (std::uint32_t process = 1; process < place_.processes; ++process) {
      if (const std::string error = links_[process].send(text, by); !error.empty())
        lost(process, call, error);
    }
    return std::string(mine);
  }

 private:
  [[nodiscard]] Deadline deadline() const {
    if (timeout_ == Time()) return std::nullopt;
    return Clock::now() + std::chrono::nanoseconds(timeout_.picoseconds() / 1000);
  }

  [[nodiscard]] std::string own_text() const {
    return fmt::format("host {}, rank {}", places_[place_.process].host, place_.process);
  }

  void gather_processes() {
    epoch_ns_ = steady_ns();
    const Deadline by = deadline();
    const std::string start = hello_start(place_);
    Reception reception(
        [&](const std::string& text) { return read_hello(text, start).has_value(); });
    if (const std::string error =
            reception.listen(listen_addresses(place_.address, place_.bind), place_.port);
        !error.empty()) {
      throw BackendError(
          fmt::format("{}: listen on port {} (MASTER_PORT): {}", own_text(), place_.port, error));
    }
    for (std::uint32_t joined = 1; joined < place_.processes;) {
      Reception::Arrival arrival;
      if (const std::string error = reception.next(arrival, by); !error.empty())
        fail(fmt::format("{}: start: {} did not come: {}{}", own_text(), missing(), error,
                         strangers_text(reception.rejected_connections())));
      if (welcome(*read_hello(arrival.text, start), std::move(arrival.link))) ++joined;
    }
    std::string list;
    for (const ProcessPlace& at : places_)
      list += fmt::format("{} {} {}\n", at.pid, at.machine, at.host);
    (void)broadcast(list, "start");
  }

  [[nodiscard]] std::string strangers_text(std::size_t count) const {
    if (count == 0) return {};
    return fmt::format(
        " ({} connections to port {} were dropped: another program, or another RAILYARD_TOKEN)",
        count, place_.port);
  }

  /// False if the process has left again.
  bool welcome(const Hello& said, TcpLink link) {
    const Deadline by = Clock::now() + kPingTime;
    if (said.processes != place_.processes || said.process == 0 ||
        said.process >= place_.processes || links_[said.process].is_open()) {
      const std::string text = fmt::format(
          "{}: start: host {} came as RANK {} of WORLD_SIZE {}; expected are {} different "
          "processes",
          own_text(), said.at.host, said.process, said.processes, place_.processes);
      (void)link.send(kFailure + text, by);
      fail(text);
    }
    for (int ping = 0; ping < kPings; ++ping) {
      std::string text;
      if (!link.receive(text, by, kLongestPing).empty() ||
          !link.send(std::to_string(steady_ns() - epoch_ns_), by).empty())
        return false;
    }
    places_[said.process] = said.at;
    links_[said.process] = std::move(link);
    return true;
  }

  void join() {
    const Deadline by = deadline();
    TcpLink& link = links_[0];
    const std::string where = fmt::format("{}:{} (MASTER_ADDR)", place_.address, place_.port);
    std::string error = connect(link, place_.address, place_.port, by);
    if (error.empty()) error = link.send(hello(place_, places_[place_.process]), by);
    std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
    std::string text;
    for (int ping = 0; ping < kPings && error.empty(); ++ping) {
      const std::int64_t sent = steady_ns();
      error = link.send("", by);
      if (error.empty()) error = link.receive(text, by);
      const std::int64_t back = steady_ns();
      if (error.empty() && !text.empty() && text.front() == kFailure)
        throw BackendError(text.substr(1));
      if (!error.empty() || back - sent >= shortest) continue;
      shortest = back - sent;
      // Assumes that process 0 read its clock in the middle of the round trip.
      epoch_ns_ = sent + (back - sent) / 2 - std::strtoll(text.c_str(), nullptr, 10);
    }
    if (!error.empty())
      throw BackendError(fmt::format("{}: start: connect to {}: {}{}", own_text(), where, error,
                                     epoch_ns_ == 0 && link.is_open()
                                         ? " (is RAILYARD_TOKEN the same on every process?)"
                                         : ""));
    std::istringstream list(broadcast("", "start"));
    for (ProcessPlace& at : places_) list >> at.pid >> at.machine >> at.host;
  }

  [[nodiscard]] std::string missing() const {
    std::string ranks;
    for (std::uint32_t process = 1; process < place_.processes; ++process) {
      if (!links_[process].is_open())
        ranks += fmt::format("{}{}", ranks.empty() ? "" : ", ", process);
    }
    return "rank " + ranks;
  }

  /// Notifies the others, so that all processes report the same error.
  [[noreturn]] void fail(const std::string& text) {
    for (const TcpLink& link : links_) {
      if (link.is_open()) (void)link.send(kFailure + text, Clock::now() + std::chrono::seconds(1));
    }
    throw BackendError(text);
  }

  [[noreturn]] void lost(std::uint32_t process, const char* call, const std::string& error) {
    fail(fmt::format("host {}, rank {}: {}: {}", places_[process].host, process, call, error));
  }

  [[noreturn]] void lost_master(const char* call, const std::string& error) {
    std::string text;
    // An error message of process 0 may still be unread.
    if (links_[0].receive(text, Clock::now()).empty() && !text.empty() && text.front() == kFailure)
      throw BackendError(text.substr(1));
    throw BackendError(fmt::format("host {}, rank 0: {}: {} (seen by rank {})", places_[0].host,
                                   call, error, place_.process));
  }

  TcpPlace place_;
  Time timeout_;
  std::vector<ProcessPlace> places_;
  std::vector<TcpLink> links_;  ///< process 0: to each; else to process 0
  std::int64_t epoch_ns_ = 0;
};

TcpWorld::TcpWorld(const TcpPlace& place, Time timeout)
    : state_(std::make_unique<State>(place, timeout)) {}
TcpWorld::~TcpWorld() = default;

std::uint32_t TcpWorld::process() const { return state_->place().process; }
std::uint32_t TcpWorld::processes() const { return state_->place().processes; }
const std::vector<ProcessPlace>& TcpWorld::places() const { return state_->places(); }

void TcpWorld::barrier() {
  (void)state_->gather("", "barrier");
  (void)state_->broadcast("", "barrier");
}
std::vector<std::string> TcpWorld::gather(std::string_view mine) {
  return state_->gather(mine, "gather");
}
std::string TcpWorld::broadcast(std::string_view mine) {
  return state_->broadcast(mine, "broadcast");
}
Time TcpWorld::now() const { return Time::nanoseconds(steady_ns() - state_->epoch_ns()); }

}  // namespace railyard::hw
