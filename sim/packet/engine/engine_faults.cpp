// Engine: links that fail or change their rate during the run.
#include <algorithm>

#include "sim/packet/engine/engine.hpp"

namespace railyard::sim::packet {

void Engine::change_link(std::uint32_t link, Time at, Bandwidth rate) {
  link_changes_.push_back({link, rate, at});
}

void Engine::reroute(const Reroute& change) {
  reroutes_.push_back(change);
  const Route &from = routes_[pairs_[change.pair].first_path], &to = routes_[change.first_route];
  has_moves_ = has_moves_ || from.last_link != to.last_link;
  if (control_.is_pulled()) {
    const std::uint32_t before = pacer_of_[last_link(pairs_[change.pair])];
    add_pacer(to.last_link, pull_rates_.empty() ? 0 : pull_rates_[before].interval());
  }
}

// Plans the events of the changes. The two ends of a queue pair are in different domains and change
// separately: the detail of a reroute event is 2 n for the sender under change n, and 2 n + 1 for
// its receiver.
void Engine::plan_changes() {
  for (std::uint32_t i = 0; i < link_changes_.size(); ++i) {
    const LinkChange& change = link_changes_[i];
    push_event(from_domain_[change.link],
               {change.at.picoseconds(), EventKind::fault, change.link, i});
  }
  for (std::uint32_t i = 0; i < reroutes_.size(); ++i) {
    const Reroute& change = reroutes_[i];
    const QueuePair& pair = pairs_[change.pair];
    const std::int64_t at = change.at.picoseconds();
    push_event(from_domain_[first_link(pair)], {at, EventKind::reroute, change.pair, 2 * i});
    push_event(to_domain_[last_link(pair)], {at, EventKind::reroute, change.pair, 2 * i + 1});
  }
}

void Engine::apply(const LinkChange& change, std::int64_t now) {
  for (std::uint32_t i = change.link; i < links_.size(); i += links_.ports()) {
    advance(i, now);
    Link& link = links_[i];
    if (change.rate > Bandwidth()) {
      links_.set_rate(i, change.rate);
      if ((link.is_down & Link::kFailed) == 0) continue;
      link.is_down = link.is_down & Link::kStopped;
      link.is_paused = link.is_held != 0 || link.is_down != 0;
      link.free_at = std::max(link.free_at, now);
      schedule(i, link);
      if (buffers_.at(links_.spec(i).from).is_exact) plan_start(i, link);
      continue;
    }
    link.is_down = (link.is_down | Link::kFailed) & 3U;
    link.is_paused = true;
    if (link.is_sender == 0) discard(i, now);  // the queue pairs of a sender wait instead
  }
}

// Loses all packets that wait for a link.
void Engine::discard(std::uint32_t number, std::int64_t now) {
  Link& link = links_[number];
  while (link.has_waiting()) {
    const Packet packet = links_.pop_tail(link);
    ++counters_.lost;
    leave_buffer(packet, now, now);
  }
}

void Engine::take_routes(std::uint32_t number, std::uint32_t detail, std::int64_t now) {
  QueuePair& pair = pairs_[number];
  const Reroute& change = reroutes_[detail / 2];
  if (detail % 2 != 0) {
    pair.back_leg = change.back;
    return;
  }
  const std::uint32_t first = first_link(pair), last = last_link(pair);
  advance(first, now);
  pair.first_path = change.first_route;
  const PathFacts path = facts_of(change.first_route, change.back);
  if (control_.needs_records()) flights_.change_path(number, path.switches, now);
  control_.change_path(number, path);
  set_pace(pair, number);
  if (first_link(pair) == first && last_link(pair) == last) return;
  if (pair.is_queued) senders_[pair.sender].remove(number);
  pair.is_queued = false;
  pair.sender = sender_of_[first_link(pair)];
  if (is_silent(number) && !is_asking(number)) return;  // it waits until the requests are repeated
  send_again(pair, number, now);
}

// A queue pair has moved to another port: sends all unacknowledged packets again.
void Engine::send_again(QueuePair& pair, std::uint32_t number, std::int64_t now) {
  const std::uint32_t first = first_link(pair);
  advance(first, now);
  if (is_asking(number) && is_silent(number)) {
    ask_again(number, now);
  } else if (!pair.is_selective()) {
    go_back(pair);
  } else {
    Scoreboard::Counts& counts = board_.counts(number);
    for (std::uint32_t i = pair.unacknowledged; i < pair.next_packet; ++i) {
      const Scoreboard::Slot& slot = board_.slot(number, i);
      if (!slot.acknowledged && !slot.to_resend) mark_lost(number, i, now);
    }
    if (counts.initial_window > 0)
      counts.credit = std::max(counts.credit, std::min(counts.to_resend, counts.initial_window));
    set_pace(pair, number);
  }
  pair.progress_at = now;
  enqueue(pair, number, now);
  schedule(first, links_[first]);
}

}  // namespace railyard::sim::packet
