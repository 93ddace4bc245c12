// How the domains take turns in windows of time (see Domains, and Engine in engine.hpp).
#include <algorithm>
#include <cstdint>
#include <functional>
#include <stdexcept>

#include "sim/packet/engine/domains.hpp"
#include "sim/packet/engine/engine.hpp"

namespace railyard::sim::packet {
namespace {

constexpr std::int64_t kNever = SendOrder::kNever;
/// Number of packets of a link whose next links are prefetched; they belong to at most as many
/// flows.
constexpr std::uint32_t kRoutesAhead = 4;
/// Size of a cache line, and the largest number of lines that are prefetched before a window of a
/// host.
constexpr std::uintptr_t kLine = 64;
constexpr std::size_t kMostHotLines = 40;

}  // namespace

void Engine::form_domains(Time longest) {
  const std::span<const LinkSpec> specs = links_.specs();
  Domains parts(first_output_.size() - 1);
  if (is_one_domain_) parts.join_all();
  const auto join_legs = [&](std::uint32_t begin, std::uint32_t end, std::uint32_t device) {
    for (std::uint32_t i = begin; i < end; ++i) {
      parts.join(specs[leg_links_[i]].from, device);
      parts.join(specs[leg_links_[i]].to, device);
    }
  };
  std::vector<std::uint8_t> is_used(links_.size(), 0);
  for (const Route& route : routes_) {
    const std::uint32_t first = route_links_[route.first];
    std::uint32_t last = first;
    for (std::uint32_t i = route.first; route_links_[i] != kNone; ++i) {
      last = route_links_[i];
      is_used[last] = 1;
      if (specs[last].reverse != kNone) is_used[specs[last].reverse] = 1;
    }
    if (route.overhead == 0) parts.join(specs[first].from, specs[last].to);
    join_legs(route.before, route.behind, specs[first].from);
    join_legs(route.behind, route.end, specs[last].to);
  }
  for (const Reroute& change : reroutes_) {
    const Route &from = routes_[pairs_[change.pair].first_path], &to = routes_[change.first_route];
    parts.join(specs[route_links_[from.first]].from, specs[route_links_[to.first]].from);
    parts.join(specs[from.last_link].to, specs[to.last_link].to);
  }
  std::vector<std::uint32_t> used;
  for (std::uint32_t i = 0; i < links_.size(); ++i)
    if (is_used[i] != 0) used.push_back(i);
  parts.freeze(specs, used);
  lookahead_ = std::min(parts.lookahead(), longest.picoseconds());
  domains_.resize(parts.size());
  for (Domain& domain : domains_) domain.sleeps_until = kNever;
  for (std::uint32_t i = 0; i < links_.size(); ++i) {
    from_domain_.push_back(parts.of(specs[i].from));
    to_domain_.push_back(parts.of(specs[i].to));
    links_[i].is_inside = from_domain_[i] == to_domain_[i] ? 1 : 0;
    if (!credits_.are_used() || links_[i].is_inside == 0 || links_[i].is_sender != 0) continue;
    buffers_.count_exactly(specs[i].from);
    exact_starts_.resize(links_.size(), kNever);
  }
  find_timed_senders();
}

void Engine::plan_posts() {
  for (const Event& event : before_run_) {
    const std::uint32_t domain = from_domain_[first_link(pairs_[event.target()])];
    if (is_here(domain)) push_event(domain, event);
  }
  before_run_ = {};
}

// Finds sending ports that share links inside a node with other ports. They must occupy these links
// in the order of time, so each packet that they send has an event.
void Engine::find_timed_senders() {
  constexpr std::uint32_t kShared = kNone - 1;
  std::vector<std::uint32_t> user(links_.size(), kNone);
  const auto use = [&](std::uint32_t link, std::uint32_t by) {
    user[link] = user[link] == kNone || user[link] == by ? by : kShared;
  };
  for (const Route& route : routes_) {
    const std::uint32_t first = route_links_[route.first];
    use(first, first);
    for (std::uint32_t i = route.before; i < route.behind; ++i) use(leg_links_[i], first);
    for (std::uint32_t i = route.behind; i < route.end; ++i) use(leg_links_[i], kShared);
  }
  for (const Route& route : routes_) {
    Link& first = links_[route_links_[route.first]];
    if (user[route_links_[route.first]] == kShared) first.is_timed = 1;
    for (std::uint32_t i = route.before; i < route.behind; ++i)
      if (user[leg_links_[i]] == kShared) first.is_timed = 1;
  }
  for (std::uint32_t i = links_.ports(); i < links_.size(); ++i)
    links_[i].is_timed = links_[i - links_.ports()].is_timed;
}

void Engine::wake(std::uint32_t number, std::int64_t time) {
  Domain& domain = domains_[number];
  if (time >= domain.sleeps_until) return;
  const std::int64_t window = time / lookahead_;
  if (window <= window_)
    throw std::logic_error("packet simulation: an event for a time that another device has passed");
  domain.sleeps_until = window * lookahead_;
  windows_.push(window, number);
}

void Engine::push_event(std::uint32_t number, const Event& event) {
  Domain& domain = domains_[number];
  domain.heap.push_back(event);
  std::push_heap(domain.heap.begin(), domain.heap.end(), std::greater<>());
  wake(number, event.time);
}

Event Engine::pop_event(Domain& domain) {
  std::pop_heap(domain.heap.begin(), domain.heap.end(), std::greater<>());
  const Event event = domain.heap.back();
  domain.heap.pop_back();
  return event;
}

void Engine::run_domain(std::uint32_t number, std::int64_t begin, std::int64_t end) {
  Domain& domain = domains_[number];
  std::int64_t next = gather(domain, end);
  sort_(arrivals_, begin, lookahead_);
  std::int64_t next_start = kNever;
  do {
    run_events(domain, end);
    next_start = start_until(domain, end);
  } while (!domain.heap.empty() && domain.heap.front().time < end);
  next = std::min(next, next_start);
  if (!domain.heap.empty()) next = std::min(next, domain.heap.front().time);
  domain.sleeps_until = kNever;
  if (next != kNever) wake(number, next);
}

// Prefetches the memory of the next domains in stages. Each stage uses addresses that the previous
// stage has prefetched.
void Engine::prefetch(std::span<const std::uint32_t> due) const {
  if (due.size() > 5) __builtin_prefetch(&domains_[due[5]]);
  if (due.size() > 4) {
    const Domain& domain = domains_[due[4]];
    __builtin_prefetch(domain.inputs.data());
    __builtin_prefetch(domain.outputs.data());
    __builtin_prefetch(hot_lines_.data() + domain.first_hot);
  }
  if (due.size() > 3) {
    const Domain& domain = domains_[due[3]];
    for (const std::uint32_t link : domain.inputs) links_.prefetch(link);
    for (const std::uint32_t link : domain.outputs) links_.prefetch(link);
  }
  if (due.size() > 2) {
    const Domain& domain = domains_[due[2]];
    for (const std::uint32_t link : domain.inputs) links_.prefetch_wire(link);
    for (const std::uint32_t link : domain.outputs) links_.prefetch_queue(link);
    for (std::uint32_t i = 0; i < domain.hot_lines; ++i)
      __builtin_prefetch(hot_lines_[domain.first_hot + i], 1);
  }
  if (due.size() > 1) {
    const Domain& domain = domains_[due[1]];
    for (const std::uint32_t number : domain.inputs) {
      const Link& link = links_[number];
      const std::uint32_t end = std::min(link.next, link.head + kRoutesAhead);
      for (std::uint32_t i = link.head; i < end; ++i)
        __builtin_prefetch(&route_links_[link.slot(i).at + 1]);
    }
  }
}

// Finds the cache lines that hosts with few queue pairs need in each window: of the queue pairs,
// their routes, the links in the node, and the send order of the port. A host with many queue pairs
// uses only some of them in a window, so it has no such lines.
void Engine::find_hot_lines() {
  std::vector<std::vector<const void*>> lines(domains_.size());
  const auto add = [&](std::uint32_t domain, const void* begin, std::size_t bytes) {
    std::vector<const void*>& mine = lines[domain];
    const auto first = reinterpret_cast<std::uintptr_t>(begin) / kLine;
    const auto last = (reinterpret_cast<std::uintptr_t>(begin) + bytes - 1) / kLine;
    for (std::uintptr_t line = first; line <= last && mine.size() <= kMostHotLines; ++line) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): an address to prefetch
      const void* at = reinterpret_cast<const void*>(line * kLine);
      if (std::ranges::find(mine, at) == mine.end()) mine.push_back(at);
    }
  };
  const auto add_legs = [&](std::uint32_t domain, std::uint32_t begin, std::uint32_t end) {
    if (begin < end) add(domain, &leg_links_[begin], (end - begin) * sizeof(std::uint32_t));
    for (std::uint32_t i = begin; i < end; ++i) add(domain, &links_[leg_links_[i]], sizeof(Link));
  };
  for (const QueuePair& pair : pairs_) {
    const Route& route = routes_[pair.first_path];
    if (route.overhead == 0) continue;
    const std::uint32_t from = sender_domain(pair), to = receiver_domain(pair);
    for (const std::uint32_t end : {from, to}) {
      add(end, &pair, sizeof(pair));
      add(end, &route, sizeof(route));
    }
    add(from, &senders_[pair.sender], sizeof(SendOrder));
    add_legs(from, route.before, route.behind);
    add_legs(to, route.behind, route.end);
  }
  hot_lines_.clear();
  for (std::size_t i = 0; i < domains_.size(); ++i) {
    domains_[i].first_hot = static_cast<std::uint32_t>(hot_lines_.size());
    domains_[i].hot_lines = 0;
    if (lines[i].size() > kMostHotLines) continue;
    domains_[i].hot_lines = static_cast<std::uint32_t>(lines[i].size());
    hot_lines_.insert(hot_lines_.end(), lines[i].begin(), lines[i].end());
  }
}

// Collects the arrivals before `end` over links from other domains, whose packets are already on
// the wire. Returns the time of the first later arrival.
std::int64_t Engine::gather(Domain& domain, std::int64_t end) {
  std::int64_t later = kNever;
  arrivals_.clear();
  std::size_t kept = 0;
  for (const std::uint32_t number : domain.inputs) {
    const Link& link = links_[number];
    std::uint32_t at = link.head;
    for (; at != link.next; ++at) {
      const Packet& packet = link.slot(at);
      if (packet.time >= end) break;
      arrivals_.emplace_back(packet.time, EventKind::arrival, number, route_links_[packet.at + 1]);
    }
    if (at == link.next) continue;
    later = std::min(later, link.slot(at).time);
    domain.inputs[kept++] = number;
  }
  domain.inputs.resize(kept);
  return later;
}

void Engine::prefetch_outputs(std::size_t at) const {
  if (at + 8 < arrivals_.size())
    if (const std::uint32_t link = arrivals_[at + 8].detail(); link != kNone) links_.prefetch(link);
  if (at + 4 < arrivals_.size())
    if (const std::uint32_t link = arrivals_[at + 4].detail(); link != kNone)
      links_.prefetch_tail(link);
}

void Engine::run_events(Domain& domain, std::int64_t end) {
  std::size_t at = 0;
  while (true) {
    const bool arrives = at < arrivals_.size();
    if (!domain.heap.empty() && domain.heap.front().time < end &&
        (!arrives || domain.heap.front() < arrivals_[at]))
      handle(pop_event(domain));
    else if (arrives) {
      prefetch_outputs(at);
      pass(arrivals_[at++]);
    } else
      break;
    ++counters_.events;
  }
  arrivals_.clear();
}

// Starts the packets on links to other domains that can start before `end`. Returns the time of the
// next start.
std::int64_t Engine::start_until(Domain& domain, std::int64_t end) {
  std::int64_t next = kNever;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < domain.outputs.size(); ++i) {
    const std::uint32_t number = domain.outputs[i];
    Link& link = links_[number];
    advance(number, end - 1);
    const std::int64_t start = link.is_paused ? kNever : first_start(number);
    if (start == kNever) {
      link.is_listed = 0;
      continue;
    }
    next = std::min(next, start);
    domain.outputs[kept++] = number;
  }
  domain.outputs.resize(kept);
  return next;
}

}  // namespace railyard::sim::packet
