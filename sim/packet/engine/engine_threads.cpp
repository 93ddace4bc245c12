// Engine: one run on several threads. Each thread has its own engine with the state of all devices,
// and simulates the devices of its own domains (a shard). Engines share no state. What crosses from
// shard to shard in a window of time is written to an Outbox, which the other engine reads in the
// next window. The result is therefore the same as on one thread.
#include <algorithm>
#include <barrier>
#include <cstddef>
#include <exception>
#include <latch>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <tuple>

#include "sim/packet/engine/domains.hpp"
#include "sim/packet/engine/engine.hpp"
#include "sim/packet/engine/shards.hpp"

namespace railyard::sim::packet {

/// The engines of a run. A round is one window of time. What engines publish in a round is read in
/// the next round, while they write the values of that round to the other half of `published`.
struct Engine::Team {
  explicit Team(std::size_t shards)
      : barrier(static_cast<std::ptrdiff_t>(shards)), failures(shards) {
    for (auto& round : published) round.resize(shards);
  }

  struct alignas(64) Published {
    std::int64_t next = 0;  ///< window
    bool stops = false;
    Counters counters;  ///< for the watch
  };
  std::barrier<> barrier;
  std::vector<std::unique_ptr<Engine>> others;
  std::vector<Engine*> engines;
  std::array<std::vector<Published>, 2> published;
  std::vector<std::exception_ptr> failures;  ///< by shard
  std::mutex deliveries;
  Counters seen;
};

std::string_view Engine::why_one_thread() const {
  if (!link_changes_.empty() || !reroutes_.empty())
    return "links fail or change their rates during the run";
  if (is_one_domain_ || (!domains_.empty() && lookahead_ >= Domains::kAlone))
    return "the links between devices have no latency";
  return {};
}

const Counters& Engine::counters() const { return team_ == nullptr ? counters_ : team_->seen; }

Engine& Engine::owner_of(std::uint32_t pair) {
  return team_ == nullptr ? *this : *team_->engines[shard_of_[sender_domain(pairs_[pair])]];
}

void Engine::run_on_threads() {
  std::vector<std::uint8_t> sends(domains_.size(), 0);
  for (const QueuePair& pair : pairs_) sends[sender_domain(pair)] = 1;
  const auto hosts = static_cast<std::size_t>(std::ranges::count(sends, 1));
  const std::size_t wanted = std::min(hosts, static_cast<std::size_t>(threads_));
  std::latch divided(1);
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < wanted; ++i) {
    try {
      threads.emplace_back([this, &divided, i] {
        divided.wait();
        if (team_ != nullptr) team_->engines[i]->work();
      });
      // The system cannot start more threads.
    } catch (const std::system_error&) {
      break;
    }
  }
  try {
    divide(sends, threads.size() + 1);
  } catch (...) {
    divided.count_down();
    throw;
  }
  divided.count_down();
  work();
  threads.clear();  // joins
  const std::shared_ptr<Team> team = own_team_;
  collect();
  for (const std::exception_ptr& failure : team->failures)
    if (failure) std::rethrow_exception(failure);
}

// Assigns domains to shards, using the number of routes over each link.
std::vector<std::uint16_t> Engine::assign_shards(std::span<const std::uint8_t> sends,
                                                 std::size_t shards) const {
  std::vector<std::uint64_t> hops(links_.size(), 0);
  for (const Route& route : routes_)
    for (std::uint32_t i = route.first; route_links_[i] != kNone; ++i) ++hops[route_links_[i]];
  std::vector<DomainLink> used;
  for (std::uint32_t i = 0; i < links_.size(); ++i)
    if (hops[i] > 0) used.push_back({from_domain_[i], to_domain_[i], hops[i]});
  return packet::assign_shards(sends, used, shards);
}

void Engine::divide(std::span<const std::uint8_t> sends, std::size_t shards) {
  shard_of_ = assign_shards(sends, shards);
  for (std::uint32_t i = 0; i < links_.size(); ++i)
    links_[i].is_away = shard_of_[from_domain_[i]] != shard_of_[to_domain_[i]];
  // All engines must number the reverse routes equally.
  if (parameters_.switches.return_to_sender) {
    for (const Route& route : routes_)
      for (std::uint32_t i = route.first; route_links_[i + 1] != kNone; ++i) (void)reverse_route(i);
  }
  for (std::vector<Outbox>& boxes : out_) boxes.resize(shards);
  auto team = std::make_shared<Team>(shards);
  team->engines.push_back(this);
  for (std::uint32_t shard = 1; shard < shards; ++shard) {
    Engine& other = *team->others.emplace_back(new Engine(*this));
    other.shard_ = shard;
    other.counters_ = {};
    other.open_messages_ = 0;
    team->engines.push_back(&other);
  }
  for (Engine* engine : team->engines) engine->team_ = team.get();
  own_team_ = std::move(team);
}

// Frees the messages that were posted before the run and whose sender belongs to another engine.
void Engine::drop_messages() {
  for (std::uint32_t i = 0; i < messages_.size(); ++i)
    if (!is_here(sender_domain(pairs_[messages_[i].pair]))) free_messages_.push_back(i);
}

void Engine::work() {
  try {
    drop_messages();
    plan();
  } catch (...) {
    team_->failures[shard_] = std::current_exception();
  }
  first_mail_ = WindowQueue::kNone;
  publish(0);
  for (std::size_t round = 0;; ++round) {
    team_->barrier.arrive_and_wait();
    std::int64_t window = WindowQueue::kNone;
    bool stops = false;
    for (const Team::Published& one : team_->published[round % 2]) {
      window = std::min(window, one.next);
      stops = stops || one.stops;
    }
    if (stops || window == WindowQueue::kNone) return;
    run_round(round + 1, window);
  }
}

void Engine::run_round(std::size_t round, std::int64_t window) {
  parity_ = round % 2;
  first_mail_ = WindowQueue::kNone;
  for (Outbox& box : out_[parity_]) box.clear();
  now_ = window * lookahead_;
  try {
    if (shard_ == 0 && keep_going_) {
      team_->seen = {};
      for (const Team::Published& one : team_->published[1 - parity_]) team_->seen += one.counters;
      if (must_stop(team_->seen.events)) return publish(round);
    }
    for (const Engine* from : team_->engines) take(from->out_[1 - parity_][shard_]);
    take_credits();
    run_window(window);
    post_departures();
  } catch (...) {
    team_->failures[shard_] = std::current_exception();
  }
  publish(round);
}

void Engine::publish(std::size_t round) {
  Team::Published& mine = team_->published[round % 2][shard_];
  mine.stops = is_stopped_ || failure_ || team_->failures[shard_] != nullptr;
  mine.next = mine.stops ? WindowQueue::kNone : std::min(next_window(), first_mail_);
  if (keep_going_) mine.counters = counters_;
}

// ---- what crosses from shard to shard

void Engine::post_departures() {
  for (const std::uint32_t number : departures_) {
    Link& link = links_[number];
    std::vector<Outbox::Departure>& box = out(to_domain_[number]).departures;
    first_mail_ = std::min(first_mail_, link.slot(link.head).time / lookahead_);
    for (; link.head != link.next; ++link.head) box.push_back({number, link.slot(link.head)});
  }
  departures_.clear();
}

void Engine::mail_event(std::uint32_t domain, const Event& event) {
  first_mail_ = std::min(first_mail_, event.time / lookahead_);
  out(domain).events.push_back({domain, event});
}

void Engine::mail_credits(std::uint32_t link, std::uint32_t bytes, std::int64_t known) {
  first_mail_ = std::min(first_mail_, known / lookahead_);
  out(from_domain_[link]).credits.push_back({link, bytes, known});
}

// Stores the record of a switch for a packet. The log belongs to the engine of the packet's sender.
void Engine::note_record(std::uint32_t link, const Outbox::Record& record) {
  const std::uint32_t to = sender_domain(pairs_[record.pair]);
  if (from_domain_[link] == to)
    flights_.record(record.pair, record.sequence, record.port, record.record);
  else
    out(to).records.push_back(record);
}

void Engine::note_report(const QueuePair& pair, std::uint32_t number,
                         const Scoreboard::Report& report) {
  ++board_.counts(number).reported;
  const std::uint32_t to = sender_domain(pair);
  if (is_here(to))
    board_.reports(number).push(report);
  else
    out(to).reports.push_back({number, report});
}

// Announces a new message of a queue pair to its receiver.
void Engine::tell_receiver(QueuePair& pair, std::uint32_t number) {
  const std::uint32_t to = receiver_domain(pair);
  if (is_here(to)) {
    if (pair.receiving == kNoMessage) pair.receiving = number;
    return;
  }
  Message& message = messages_[number];
  out(to).messages.push_back(message);
  message.is_delivered = true;  // the engine of the receiver has its own copy
}

// Sends the requests in a packet to the receiver's domain. For a packet that is sent again, the
// earlier copy keeps its own values until the end of the window, on one thread as on several.
void Engine::tell_receiver(const QueuePair& pair, const Outbox::Sent& sent) {
  const std::uint32_t to = receiver_domain(pair);
  if (!is_here(to) || (sent.is_again && to != sender_domain(pair)))
    out(to).sent.push_back(sent);
  else
    board_.slot(sent.pair, sent.sequence).ask(sent.wanted, sent.asks);
}

// The receiver has every packet of the first message and continues with the next one.
void Engine::pass_by(QueuePair& pair) {
  const std::uint32_t number = pair.receiving;
  Message& message = messages_[number];
  pair.receiving = message.next;
  if (is_here(sender_domain(pair))) return;
  message.pair = kNone;  // it is acknowledged in another engine
  if (message.is_delivered) free_messages_.push_back(number);
}

void Engine::take(const Message& announced) {
  QueuePair& pair = pairs_[announced.pair];
  const std::uint32_t number = keep(announced);
  messages_[number].next = kNoMessage;
  if (pair.receiving == kNoMessage)
    pair.receiving = number;
  else
    messages_[pair.newest].next = number;
  pair.newest = number;
  pair.end_packet = announced.first_packet + announced.packets;
}

void Engine::take(const Outbox::Sent& sent) {
  const QueuePair& pair = pairs_[sent.pair];
  if (!is_here(sender_domain(pair))) {
    Scoreboard::Slot& slot = sent.is_again ? board_.slot(sent.pair, sent.sequence)
                                           : board_.add(sent.pair, sent.oldest, sent.sequence);
    slot.ask(sent.wanted, sent.asks);
  } else if (board_.holds(sent.pair, pair.next_packet, sent.sequence)) {
    board_.slot(sent.pair, sent.sequence).ask(sent.wanted, sent.asks);
  }
}

void Engine::take(const Outbox& box) {
  for (const Outbox::Departure& one : box.departures) {
    Link& link = links_[one.link];
    const std::uint32_t domain = to_domain_[one.link];
    if (link.head == link.next) domains_[domain].inputs.push_back(one.link);
    links_.put_on_wire(link, one.packet);
    wake(domain, one.packet.time);
  }
  for (const Outbox::Planned& one : box.events) push_event(one.domain, one.event);
  returned_.insert(returned_.end(), box.credits.begin(), box.credits.end());
  for (const Message& one : box.messages) take(one);
  for (const Outbox::Sent& one : box.sent) take(one);
  for (const Outbox::Response& one : box.responses) take(one);
  for (const Outbox::Report& one : box.reports) board_.reports(one.pair).push(one.report);
  for (const Outbox::Record& one : box.records)
    flights_.record(one.pair, one.sequence, one.port, one.record);
}

// Processes returned credits in an order that does not depend on the threads that sent them.
void Engine::take_credits() {
  std::ranges::sort(returned_, [](const Outbox::Credit& a, const Outbox::Credit& b) {
    return std::tie(a.link, a.known, a.bytes) < std::tie(b.link, b.known, b.bytes);
  });
  for (const Outbox::Credit& one : returned_) take_back(one.link, one.bytes, one.known);
  returned_.clear();
}

void Engine::tell_delivery(std::uint32_t tag, Time at) {
  if (team_ == nullptr) return deliveries_->delivered(tag, at);
  const std::lock_guard lock(team_->deliveries);
  deliveries_->delivered(tag, at);
}

// ---- the end

// Collects the state of devices from the other engines. These engines keep the memory of packets
// that still wait.
void Engine::collect() {
  for (Engine* engine : team_->engines) {
    if (engine->failure_ && (!failure_ || is_before(*engine->failure_, *failure_)))
      failure_ = engine->failure_;
    engine->find_waiting();
    if (engine->waiting_ && (!waiting_ || is_before(*engine->waiting_, *waiting_)))
      waiting_ = engine->waiting_;
  }
  for (std::uint32_t i = 0; i < links_.size(); ++i) {
    const Engine& from = *team_->engines[shard_of_[from_domain_[i]]];
    const Engine& to = *team_->engines[shard_of_[to_domain_[i]]];
    const std::uint32_t held = to.links_[i].held;
    if (from.shard_ != shard_) {
      links_[i] = from.links_[i];
      pauses_[i] = from.pauses_[i];
      marks_[i] = from.marks_[i];
      if (credits_.are_used()) credits_.copy(i, from.credits_);
    }
    links_[i].held = held;
  }
  for (const auto& other : team_->others) {
    counters_ += other->counters_;
    open_messages_ += other->open_messages_;
    samples_.insert(samples_.end(), other->samples_.begin(), other->samples_.end());
    for (std::size_t i = 0; i < routes_.size(); ++i) {
      routes_[i].packets += other->routes_[i].packets;
      routes_[i].bytes += other->routes_[i].bytes;
    }
  }
  std::ranges::sort(samples_, [](const QueueSample& a, const QueueSample& b) {
    return a.time != b.time ? a.time < b.time : a.link < b.link;
  });
  team_ = nullptr;
}

}  // namespace railyard::sim::packet
