// Engine: ports with several queues, credits, and trimming.
#include <algorithm>
#include <bit>
#include <iterator>
#include <span>

#include "sim/packet/engine/engine.hpp"
#include "topology/routing/flow_hash.hpp"

namespace railyard::sim::packet {
namespace {

constexpr std::int64_t kNever = SendOrder::kNever;

}  // namespace

// The first packet of one queue of a port, regardless of the other queues.
Engine::Choice Engine::first_of(std::uint32_t number) {
  const Link& link = links_[number];
  Choice first{.link = number, .start = kNever, .wanted = kNever};
  if (link.is_paused) return first;
  std::uint32_t bytes = mtu_ + overhead_;
  if (link.is_sender == 0) {
    if (!link.has_waiting()) return first;
    const Packet& packet = link.slot(link.next);
    first.wanted = std::max(link.free_at, packet.time);
    bytes = packet.bytes;
  } else {
    const SendOrder& order = senders_[sender_of_[number]];
    first.wanted = order.next_start(link.free_at);
    if (order.has_control()) {
      const std::int64_t control = std::max(link.free_at, order.control().time);
      first.is_control = control <= first.wanted;
      if (first.is_control) {
        first.wanted = control;
        bytes = order.control().bytes;
      }
    }
  }
  first.start = first.wanted;
  if (first.wanted != kNever && credits_.are_used())
    first.start = credits_.start(number, bytes, first.wanted);
  return first;
}

// Chooses the queue of a port whose packet can start first. If several can start at the same time,
// the scheduler of the port decides by their classes.
Engine::Choice Engine::choose(std::uint32_t port) {
  Choice best = first_of(port);
  if (lanes_ == 1) return best;
  for (std::uint32_t lane = 1; lane < lanes_; ++lane) {
    const Choice one = first_of(port + lane * links_.ports());
    if (one.start > best.start) continue;
    const std::uint32_t as_early = one.start == best.start ? best.ready : 0;
    best = one;
    best.ready = as_early | 1U << lane;
  }
  if (best.start == kNever || std::has_single_bit(best.ready)) return best;
  const std::uint32_t ready = best.ready;
  best = first_of(port + scheduler_.next(port, ready) * links_.ports());
  best.ready = ready;
  return best;
}

void Engine::advance_port(std::uint32_t port, std::int64_t now) {
  while (true) {
    const Choice next = choose(port);
    if (next.start > now) return;
    ready_lanes_ = next.ready;
    Link& link = links_[next.link];
    if (next.start > next.wanted) {
      ++counters_.pauses;
      ++pauses_[next.link].count;
      pauses_[next.link].total += next.start - next.wanted;
      counters_.paused += Time::picoseconds(next.start - next.wanted);
    }
    if (link.is_sender == 0)
      begin_waiting(next.link, link, next.start, next.start == next.wanted);
    else if (next.is_control)
      send_control(next.link, senders_[sender_of_[next.link]], next.start);
    else
      send_data(next.link, senders_[sender_of_[next.link]], next.start);
  }
}

// Updates the port after a packet has started on one of its queues.
void Engine::occupy_wire(std::uint32_t number, const Link& link, std::uint32_t bytes,
                         std::int64_t start) {
  if (credits_.are_used()) credits_.spend(number, bytes, start);
  if (lanes_ == 1) return;
  share_wire(number, link.free_at);
  scheduler_.started(links_.port_of(number), number / links_.ports(), ready_lanes_, bytes);
}

void Engine::share_wire(std::uint32_t number, std::int64_t free_at) {
  for (std::uint32_t i = links_.port_of(number); i < links_.size(); i += links_.ports())
    links_[i].free_at = std::max(links_[i].free_at, free_at);
}

// Returns the credits of a packet that arrived over a link and left the buffer at its end at `at`.
// The sender learns of it after the latency of the reverse link. InfiniBand's flow control packets
// of 8 bytes are assumed to take no wire time.
void Engine::give_back(std::uint32_t in_number, std::uint32_t bytes, std::int64_t at) {
  if (!credits_.limits(in_number)) return;
  Link& in = links_[in_number];
  const std::int64_t known = at + links_[links_.spec(in_number).reverse].latency;
  if (in.is_inside == 0) return mail_credits(in_number, bytes, known);
  take_back(in_number, bytes, known);
}

void Engine::take_back(std::uint32_t in_number, std::uint32_t bytes, std::int64_t known) {
  Link& in = links_[in_number];
  credits_.give_back(in_number, bytes, known);
  if (in.is_sender == 0 && !in.has_waiting()) return;
  schedule(in_number, in);
  plan_exact_start(in_number, in);
  if (in.is_inside == 0) wake(from_domain_[in_number], known);
}

// Plans an exact start event for the next packet of a link inside a domain. Without it the domain
// would only look at the packet when it arrives, which is too late to return its credits to other
// domains in time.
void Engine::plan_exact_start(std::uint32_t number, const Link& link) {
  if (exact_starts_.empty() || link.is_inside == 0 || link.is_sender != 0) return;
  if (link.is_paused || !link.has_waiting()) return;
  const std::int64_t at = first_start(number);
  if (at >= exact_starts_[number]) return;
  exact_starts_[number] = at;
  push_event(from_domain_[number], {at, EventKind::start, number});
}

// The index of the route, among those of a queue pair, that contains position `at` of route_links_.
std::uint32_t Engine::route_at(const QueuePair& pair, std::uint32_t at) const {
  const auto routes = std::span(routes_).subspan(pair.first_path, pair.paths);
  const auto next =
      std::upper_bound(routes.begin(), routes.end(), at,
                       [](std::uint32_t place, const Route& route) { return place < route.first; });
  return static_cast<std::uint32_t>(next - routes.begin()) - 1;
}

const Engine::Route& Engine::route_of(const QueuePair& pair, const Packet& packet) const {
  if (!has_moves_) [[likely]]
    return routes_[pair.first_path];
  const auto next = std::ranges::upper_bound(routes_, packet.at, {}, &Route::first);
  return *std::prev(next);
}

// Chooses the next link of a packet (adaptive routing): among the queue pair's routes that come
// over the same link, the one whose next link has the fewest waiting bytes. Equal ones take turns.
std::uint32_t Engine::adapt(Packet& packet) {
  const QueuePair& pair = pairs_[packet.pair];
  const std::uint32_t come_by = route_links_[packet.at];
  const auto routes = std::span(routes_).subspan(pair.first_path, pair.paths);
  const std::uint32_t depth = packet.at - routes[route_at(pair, packet.at)].first;
  std::uint32_t best = kNone, least = ~std::uint32_t{0}, at = packet.at;
  for (std::uint32_t i = 0; i < pair.paths && least > 0; ++i) {
    const std::uint32_t place = routes[(packet.sequence + i) % pair.paths].first + depth;
    const std::uint32_t next = link_of(route_links_[place + 1], packet);
    if (route_links_[place] != come_by || next == best) continue;
    advance(next, packet.time);
    const std::uint32_t queued = links_[next].queued;
    if (queued >= least) continue;
    least = queued;
    best = next;
    at = place;
  }
  packet.at = at;
  return best;
}

void Engine::mark_stalled() {
  for (std::uint32_t i = 0; i < links_.size(); ++i) {
    Link& link = links_[i];
    const std::uint32_t bytes = link.has_waiting() ? link.slot(link.next).bytes : 0U;
    if (bytes > 0 && credits_.is_stalled(i, bytes)) link.is_paused = true;
    if (link.is_sender != 0 && credits_.is_stalled(i, mtu_ + overhead_)) link.is_paused = true;
  }
}

// Handles a packet for which a queue has no room.
void Engine::drop_or_trim(std::uint32_t in_number, std::uint32_t out_number, const Packet& packet) {
  if (packet.lane == control_lane_) return refuse_control(packet);
  if (parameters_.switches.trim) return trim(in_number, out_number, packet);
  ++counters_.lost;
}

// Cuts off the payload of a packet that finds its queue full, or of the last waiting packet
// instead. If it were always the arriving packet, flows in lockstep would lose either all of their
// packets or none.
void Engine::trim(std::uint32_t in_number, std::uint32_t out_number, Packet packet) {
  Link& in = links_[in_number];
  Link& out = links_[out_number];
  const std::int64_t now = packet.time;
  const std::uint64_t draw =
      topology::mix(topology::mix(seed_ ^ (std::uint64_t{out_number} << 32)) ^
                    (static_cast<std::uint64_t>(packet.pair) << 32 | packet.sequence));
  const bool is_tail = static_cast<double>(draw >> 11) * 0x1p-53 < parameters_.switches.trim_tail;
  const std::uint32_t port = links_.port_of(out_number);
  if (!is_tail || !out.has_waiting()) return push_trimmed(packet, port, now);
  Packet tail = links_.pop_tail(out);
  const std::uint32_t tail_in = link_of(route_links_[--tail.at], tail);
  buffers_.release(tail_in, links_[tail_in], tail.bytes);
  push_trimmed(tail, port, now);
  if (!buffers_.admit(in_number, in, out, packet.lane, packet.bytes))
    return push_trimmed(packet, port, now);
  packet.time = links_.earliest_start(in, out, packet);
  ++packet.at;
  links_.push(out, packet);
  if (out.is_listed == 0 && out.pending == Link::kNoEvent) schedule(out_number, out);
  plan_start(out_number, out);
}

void Engine::push_trimmed(Packet packet, std::uint32_t out_port, std::int64_t now) {
  packet.trimmed = true;
  packet.trimmed_before = !links_.spec(out_port).is_last;
  packet.lane = control_lane_ & 7U;
  packet.bytes = static_cast<std::uint16_t>(parameters_.switches.trimmed_bytes.count());
  packet.time = now;
  if (push_control(packet, out_port)) {
    ++counters_.trimmed;
    return;
  }
  refuse_control(packet);
}

// Handles a packet that finds the control queue of a port full. The header of a data packet may be
// returned to its sender, regardless of which switch has trimmed it.
void Engine::refuse_control(Packet packet) {
  if (parameters_.switches.return_to_sender && packet.kind == PacketKind::data) {
    packet.kind = PacketKind::returned;
    packet.at = reverse_route(packet.at);
    if (push_control(packet, route_links_[packet.at + 1])) {
      ++counters_.returned;
      return;
    }
  }
  ++counters_.lost;
}

// Puts a packet that arrived over the link at packet.at into the control queue of a port. Returns
// false if the queue is full.
bool Engine::push_control(Packet packet, std::uint32_t out_port) {
  const std::uint32_t to_lane = control_lane_ * links_.ports();
  const std::uint32_t in_number = route_links_[packet.at] + to_lane;
  const std::uint32_t number = out_port + to_lane;
  Link& out = links_[number];
  if (!buffers_.admit(in_number, links_[in_number], out, packet.lane, packet.bytes)) return false;
  ++packet.at;
  links_.push(out, packet);
  if (out.is_listed == 0 && out.pending == Link::kNoEvent) schedule(number, out);
  plan_start(number, out);
  return true;
}

// The index in route_links_ at which the reverse route begins, for a packet at position `at` of a
// route: the link over which it came, then the reverse of this link and of those before it.
std::uint32_t Engine::reverse_route(std::uint32_t at) {
  const auto [known, is_new] =
      reverse_routes_.try_emplace(at, static_cast<std::uint32_t>(route_links_.size()));
  if (!is_new) return known->second;
  route_links_.push_back(route_links_[at]);
  for (std::uint32_t i = at + 1; i-- > 0 && route_links_[i] != kNone;)
    route_links_.push_back(links_.spec(route_links_[i]).reverse);
  route_links_.push_back(kNone);
  return known->second;
}

Engine::LinkPauses Engine::pauses(std::uint32_t link, std::uint32_t queue) const {
  const std::uint32_t number = link + queue * links_.ports();
  LinkPauses one = pauses_[number];
  if (links_[number].is_held != 0) one.total += now_ - one.since;
  return one;
}

Engine::LinkPauses Engine::pauses(std::uint32_t link) const {
  LinkPauses all;
  for (std::uint32_t queue = 0; queue < lanes_; ++queue) {
    const LinkPauses one = pauses(link, queue);
    all.count += one.count;
    all.total += one.total;
  }
  return all;
}

std::uint32_t Engine::most_queued(std::uint32_t link) const {
  std::uint32_t most = 0;
  for (std::uint32_t queue = 0; queue < class_count(parameters_.switches); ++queue)
    most = std::max(most, links_[link + queue * links_.ports()].most_queued);
  return most;
}

}  // namespace railyard::sim::packet
