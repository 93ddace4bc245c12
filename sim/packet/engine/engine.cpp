#include "sim/packet/engine/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <functional>
#include <stdexcept>
#include <tuple>

#include "core/diagnostic.hpp"
#include "sim/packet/engine/losses.hpp"
#include "sim/packet/engine/stall.hpp"
#include "sim/packet/links/clocks.hpp"

namespace railyard::sim::packet {
namespace {

/// The wire size of a pause frame: a minimum frame of 64 bytes, and 20 bytes of preamble and gap
/// (IEEE 802.3, annex 31B).
constexpr std::uint32_t kPauseFrame = 84;
constexpr std::int64_t kNever = SendOrder::kNever;
/// Number of events between two calls of the watch; some milliseconds of run time.
constexpr std::uint64_t kEventsPerLook = 1 << 16;

}  // namespace

Engine::Engine(const NetworkSpec& network, const Parameters& parameters, std::uint64_t seed)
    : parameters_(parameters),
      most_retries_(most_retries(parameters.nic)),
      mtu_(static_cast<std::uint32_t>(network.mtu.count())),
      overhead_(static_cast<std::uint32_t>(network.overhead.count())),
      ack_interval_(static_cast<std::uint32_t>(ack_interval_of(parameters))),
      lanes_(static_cast<std::uint32_t>(queue_count(parameters.switches))),
      control_lane_(parameters.switches.control == ControlQueue::shared ? kNone : lanes_ - 1),
      links_(with_clocks(network.links, parameters.clock_tolerance, seed),
             parameters.switches.cut_through, lanes_),
      buffers_(links_, network.devices, parameters.switches, network.mtu + network.overhead,
               Bytes(kPauseFrame)),
      credits_(links_, parameters.switches.credits, network.mtu + network.overhead),
      ingress_(links_, network.devices, parameters, network.mtu + network.overhead,
               Bytes(kPauseFrame)),
      is_plain_(lanes_ == 1 && !credits_.are_used()),
      seed_(seed),
      marking_(links_, parameters.switches, seed, !parameters.rccc.oversubscription),
      control_(parameters),
      scheduler_(parameters.switches, network.links.size()),
      sender_of_(links_.size(), kNone),
      first_output_(network.devices + 1, 0),
      pauses_(links_.size()),
      marks_(links_.size()) {
  if (network.mtu.count() < 1 || network.mtu + network.overhead > Bytes(65535))
    throw InputError("", "fabric.mtu", "a packet with its headers has 1 to 65535 bytes");
  for (const LinkSpec& spec : links_.specs()) ++first_output_[spec.from + 1];
  for (std::size_t d = 0; d < network.devices; ++d) first_output_[d + 1] += first_output_[d];
  outputs_.resize(links_.size());
  std::vector<std::uint32_t> at(first_output_.begin(), first_output_.end() - 1);
  for (std::uint32_t i = 0; i < links_.size(); ++i) {
    const LinkSpec& spec = links_.spec(i);
    outputs_[at[spec.from]++] = i;
    if (!spec.is_sender) continue;
    sender_of_[i] = static_cast<std::uint32_t>(senders_.size());
    senders_.emplace_back();
    control_.add_sender(spec.rate);
    planned_start_.push_back(SendOrder::kNever);
  }
  if (parameters.nic.port_message_gap > Time()) message_slots_.resize(network.links.size(), 0);
  if (control_.needs_records()) sent_bytes_.resize(links_.size(), 0);
  if (control_.is_pulled()) pacer_of_.resize(links_.size(), kNone);
  if (parameters.switches.watchdog) ignores_pauses_.resize(links_.size(), 0);
}

// Copies the current rate and window of a queue pair's congestion control.
void Engine::set_pace(QueuePair& pair, std::uint32_t number) {
  pair.pace = pace_of(control_.rate(number));
  pair.window = control_.window(number);
  if (parameters_.nic.window)
    pair.window =
        std::min(pair.window, static_cast<std::uint64_t>(parameters_.nic.window->count()));
  if (is_asking(number) || is_silent(number)) pair.window = CongestionControl::kNoWindow;
}

// Reports a loss to the congestion control. It does not apply to read requests.
void Engine::note_loss(std::uint32_t number, std::int64_t now, std::uint32_t on_the_way) {
  if (!is_asking(number)) control_.lost(number, now, on_the_way);
}

// Passes the feedback of an acknowledgement to the congestion control. `sequence` is the first
// packet that is not acknowledged; the feedback belongs to the packet before it.
void Engine::steer(QueuePair& pair, std::uint32_t number, std::uint32_t sequence,
                   std::int64_t now) {
  const std::uint32_t last = sequence - 1;
  if (is_asking(number) || (control_.needs_records() && !flights_.is_of_path(number, last))) return;
  control_.acknowledged(number,
                        {.now = now,
                         .rtt = now - flights_.sent_at(number, last),
                         .packets = sequence - pair.unacknowledged,
                         .sequence = sequence,
                         .next_packet = pair.next_packet,
                         .hops = flights_.records(number, last)},
                        flights_.previous(number));
  set_pace(pair, number);
}

// In-band telemetry: writes the record of a switch for a packet that leaves its queue.
void Engine::write_record(std::uint32_t link_number, const Link& link, const Packet& packet,
                          std::int64_t start) {
  std::uint64_t& sent = sent_bytes_[link_number];
  if (packet.kind == PacketKind::data) {
    const std::uint32_t first = routes_[pairs_[packet.pair].first_path].first;
    const HopRecord record{.time = start,
                           .sent = sent,
                           .rate = static_cast<double>(links_.rate(link_number).bits_per_second()),
                           .queued = link.queued};
    note_record(link_number,
                {.pair = packet.pair,
                 .sequence = packet.sequence,
                 .port = packet.at - first - 1,
                 .record = parameters_.hpcc.rounded_records ? rounded(record) : record});
  }
  sent += packet.bytes;
}

void Engine::post(std::uint32_t pair, Time at, Bytes bytes, std::uint32_t tag) {
  assert(bytes > Bytes());
  owner_of(pair).post_here(pair, at, bytes, tag);
}

void Engine::post_here(std::uint32_t pair, Time at, Bytes bytes, std::uint32_t tag) {
  hand_over(pair, {.bytes = static_cast<std::uint64_t>(bytes.count()), .pair = pair, .tag = tag},
            (at + parameters_.nic.message_latency).picoseconds());
}

void Engine::hand_over(std::uint32_t pair, Message message, std::int64_t start) {
  const bool asks = is_asking(pair);
  const std::uint64_t count = asks ? kReadRequest : message.bytes;
  message.packets = static_cast<std::uint32_t>((count + mtu_ - 1) / mtu_);
  message.last_payload =
      static_cast<std::uint32_t>(count - std::uint64_t{message.packets - 1} * mtu_);
  const std::uint32_t number = keep(message);
  ++open_messages_;
  if (!asks) counters_.posted_bytes += count;
  messages_[number].posted_at = start;
  QueuePair& sender = pairs_[pair];
  if (sender.to_post == kNoMessage)
    sender.to_post = number;
  else
    messages_[sender.last_to_post].next = number;
  sender.last_to_post = number;
  if (domains_.empty())
    before_run_.push_back({start, EventKind::post, pair});
  else
    push_event(from_domain_[first_link(sender)], {start, EventKind::post, pair});
}

std::uint32_t Engine::keep(const Message& message) {
  if (free_messages_.empty()) {
    messages_.push_back(message);
    return static_cast<std::uint32_t>(messages_.size() - 1);
  }
  const std::uint32_t number = free_messages_.back();
  free_messages_.pop_back();
  messages_[number] = message;
  return number;
}

void Engine::run(Deliveries& deliveries) {
  deliveries_ = &deliveries;
  form_domains(Time::never());
  if (threads_ > 1 && why_one_thread().empty()) {
    run_on_threads();
  } else {
    plan();
    while (advance(Time::never())) {
    }
  }
  if (failure_ || !is_stopped_) finish();
}

void Engine::prepare(Deliveries& deliveries, Time longest) {
  deliveries_ = &deliveries;
  form_domains(longest);
  plan();
}

void Engine::plan() {
  for (std::vector<Outbox>& boxes : out_)
    if (boxes.empty()) boxes.resize(1);
  find_hot_lines();
  plan_posts();
  plan_changes();
  plan_storms();
  next_sample_ = sample_interval_ > 0 ? sample_interval_ : kNever;
  next_look_ = kEventsPerLook;
  first_mail_ = WindowQueue::kNone;
}

bool Engine::advance(Time until) {
  // A window in which a sender receives credits is simulated even if the sender does not wait for
  // them, because this is also the case on several threads.
  const std::int64_t next = std::min(next_window(), first_mail_);
  take(out_[0][0]);
  take_credits();
  out_[0][0].clear();
  if (is_stopped_ || next == WindowQueue::kNone || next * lookahead_ >= until.picoseconds())
    return false;
  now_ = next * lookahead_;
  if (must_stop(counters_.events)) return false;
  first_mail_ = WindowQueue::kNone;
  run_window(next);
  if (failure_) report_stall();
  return true;
}

std::int64_t Engine::next_window() {
  return windows_.peek([&](std::uint32_t domain, std::int64_t window) {
    return domains_[domain].sleeps_until == window * lookahead_;
  });
}

// Whether the caller stops the run. Calls keep_going_ every kEventsPerLook events.
bool Engine::must_stop(std::uint64_t events) {
  if (!keep_going_ || events < next_look_) return false;
  is_stopped_ = !keep_going_(now());
  next_look_ = events + kEventsPerLook;
  return is_stopped_;
}

void Engine::run_window(std::int64_t window) {
  window_ = window;
  const std::int64_t begin = window * lookahead_;
  now_ = begin;
  if (now_ >= next_sample_) sample(now_);
  due_.clear();
  if (windows_.peek() == window) (void)windows_.next(window, due_);
  for (std::size_t i = 0; i < due_.size(); ++i) {
    prefetch(std::span(due_).subspan(i));
    if (domains_[due_[i]].sleeps_until == begin) run_domain(due_[i], begin, begin + lookahead_);
  }
}

void Engine::finish() {
  if (failure_ || open_messages_ > 0) report_stall();
  check_conservation();
}

void Engine::handle(const Event& event) {
  const std::uint32_t target = event.target();
  switch (event.kind()) {
    case EventKind::arrival: return arrive(target, event.time);
    case EventKind::start: return start(target, event.time);
    case EventKind::pause: return stop(target, event.time);
    case EventKind::resume: return resume(target, event.time);
    case EventKind::post: return post_now(target, event.time);
    case EventKind::deliver: return deliver(event.detail(), event.time);
    case EventKind::timeout: return resend_after_timeout(target, event.time);
    case EventKind::pull: return pull(target, event.time);
    case EventKind::fault: return apply(link_changes_[event.detail()], event.time);
    case EventKind::reroute: return take_routes(target, event.detail(), event.time);
    case EventKind::watchdog: return look_at_pauses(target, event.detail(), event.time);
    case EventKind::ingress: return take_in(target, event.time);
  }
}

// ---- links and switches

// Handles the arrival of a packet from another domain. The detail of the event is the next link.
void Engine::pass(const Event& event) {
  const std::uint32_t number = event.target();
  take_first(number, links_[number], event.detail());
}

void Engine::take_first(std::uint32_t number, Link& link, std::uint32_t next) {
  const Packet packet = link.slot(link.head++);
  if (packet.kind == PacketKind::data)
    ++counters_.data_hops;
  else
    ++counters_.control_hops;
  if (next == kNone) {
    if (ingress_.is_limited() && waits_at_nic(number, packet)) [[unlikely]]
      return enter_nic(number, packet);
    in_memory_ = packet.time;
    receive(packet, packet.time);
    if (!is_plain_ && credits_.are_used()) give_back(number, packet.bytes, in_memory_);
  } else {
    forward(number, link, link_of(next, packet), packet);
  }
}

void Engine::arrive(std::uint32_t number, std::int64_t now) {
  Link& link = links_[number];
  if (link.pending != now) return;  // an earlier event has replaced this one
  link.pending = Link::kNoEvent;
  advance(number, now);
  if (link.head != link.next && link.slot(link.head).time <= now) {
    take_first(number, link, route_links_[link.slot(link.head).at + 1]);
  }
  schedule(number, link);
}

void Engine::start(std::uint32_t number, std::int64_t now) {
  Link& link = links_[number];
  if (link.is_timed != 0) {
    std::int64_t& planned = planned_start_[sender_of_[number]];
    if (planned != now) return;  // an earlier event has replaced this one
    planned = kNever;
    advance(number, now);
    return schedule(number, link);
  }
  if (!exact_starts_.empty()) {
    if (exact_starts_[number] != now) return;  // an earlier event has replaced this one
    exact_starts_[number] = kNever;
    advance(number, now);
    return plan_exact_start(number, link);
  }
  link.has_start_event = false;
  advance(number, now);
  if (buffers_.at(links_.spec(number).from).is_exact) plan_start(number, link);
}

void Engine::forward(std::uint32_t in_number, Link& in, std::uint32_t out_number, Packet packet) {
  if (is_adaptive_ && packet.kind == PacketKind::data) [[unlikely]]
    out_number = adapt(packet);
  Link& out = links_[out_number];
  const std::int64_t now = packet.time;
  advance(out_number, now);
  if (out.is_down != 0) [[unlikely]] {
    ++counters_.lost;
    if ((out.is_down & Link::kStopped) != 0) ++counters_.discarded;
    if (credits_.are_used()) give_back(in_number, packet.bytes, now);
    return;
  }
  SwitchState& device = buffers_.at(in.to);
  if (!device.is_exact && !buffers_.is_calm(in, out, packet.bytes)) make_exact(in.to, now);
  if (!device.is_exact) {
    buffers_.count_in(in, packet.bytes);
  } else {
    if (!buffers_.admit(in_number, in, out, packet.lane, packet.bytes))
      return drop_or_trim(in_number, out_number, packet);
    if (buffers_.must_pause(in_number, in, packet.lane))
      send_pause(in_number, now, EventKind::pause);
  }
  packet.time = links_.earliest_start(in, out, packet);
  ++packet.at;
  links_.push(out, packet);
  if (out.is_listed == 0 && out.pending == Link::kNoEvent) schedule(out_number, out);
  if (device.is_exact) plan_start(out_number, out);
}

void Engine::advance(std::uint32_t number, std::int64_t now) {
  if (!is_plain_) [[unlikely]]
    return advance_port(links_.port_of(number), now);
  Link& link = links_[number];
  if (link.is_sender) return advance_sender(number, now);
  while (link.has_waiting() && !link.is_paused) {
    const std::int64_t start = std::max(link.free_at, link.slot(link.next).time);
    if (start > now) return;
    begin_waiting(number, link, start);
  }
}

// Plans the next work on a link. A link to another domain is examined at the end of the window. A
// link inside a domain has an event for its first packet on the wire, or for the first that will
// start.
void Engine::schedule(std::uint32_t number, Link& link) {
  if (link.is_timed != 0) plan_sender(number, link);
  if (link.is_inside == 0) {
    if (link.is_listed != 0 || link.is_timed != 0 || link.is_paused) return;
    if (link.is_sender == 0 && !link.has_waiting()) return;
    link.is_listed = 1;
    domains_[from_domain_[number]].outputs.push_back(number);
    return;
  }
  std::int64_t at = 0;
  if (link.head != link.next) {
    at = link.slot(link.head).time;
  } else if (link.is_paused || link.is_timed != 0) {
    return;
  } else if (link.has_waiting()) {
    const Packet& packet = link.slot(link.next);
    const std::int64_t start = first_start(number);
    if (start == kNever) return;
    at = start + links_.arrival_delay(link, packet.bytes, links_.time_on(link, packet.bytes));
  } else {
    if (link.is_sender == 0) return;
    at = first_start(number);
    if (at == kNever) return;
  }
  if (link.pending != Link::kNoEvent && link.pending <= at) return;
  link.pending = at;
  push_event(from_domain_[number], {at, EventKind::arrival, number});
}

void Engine::plan_sender(std::uint32_t number, const Link& link) {
  if (link.is_paused) return;
  const std::uint32_t sender = sender_of_[number];
  const std::int64_t at = first_start(number);
  if (at >= planned_start_[sender]) return;
  planned_start_[sender] = at;
  push_event(from_domain_[number], {at, EventKind::start, number});
}

void Engine::make_exact(std::uint32_t device, std::int64_t now) {
  SwitchState& state = buffers_.at(device);
  for (std::uint32_t i = first_output_[device]; i < first_output_[device + 1]; ++i)
    advance(outputs_[i], now);
  state.is_exact = true;
  for (std::uint32_t i = first_output_[device]; i < first_output_[device + 1]; ++i)
    plan_start(outputs_[i], links_[outputs_[i]]);
}

void Engine::plan_start(std::uint32_t number, Link& link) {
  if (credits_.are_used()) [[unlikely]]
    return plan_exact_start(number, link);
  if (link.has_start_event || link.is_paused || !link.has_waiting()) return;
  link.has_start_event = true;
  push_event(from_domain_[number], {first_start(number), EventKind::start, number});
}

// Sends a pause or resume frame over the reverse link, after the packet that occupies its wire.
void Engine::send_pause(std::uint32_t in_number, std::int64_t at, EventKind kind) {
  InputState& input = buffers_.input(in_number);
  SwitchState& device = buffers_.at(links_[in_number].to);
  input.is_paused = kind == EventKind::pause;
  if (input.is_paused) {
    ++device.paused_inputs;
    ++counters_.pauses;
  } else {
    --device.paused_inputs;
  }
  Link& back = links_[links_.spec(in_number).reverse];
  back.free_at = std::max(back.free_at, at) + links_.time_on(back, kPauseFrame);
  if (!is_plain_) share_wire(links_.spec(in_number).reverse, back.free_at);
  const Event event(back.free_at + back.latency + parameters_.switches.pause_reaction.picoseconds(),
                    kind, in_number);
  if (links_[in_number].is_away) return mail_event(from_domain_[in_number], event);
  push_event(from_domain_[in_number], event);
}

// The time at which the first packet of an unpaused link may start; kNever if none waits.
std::int64_t Engine::first_start(std::uint32_t number) {
  if (!is_plain_) return first_of(number).start;
  const Link& link = links_[number];
  if (link.is_sender != 0) return next_start(link, sender_of_[number]);
  return link.has_waiting() ? std::max(link.free_at, link.slot(link.next).time) : kNever;
}

void Engine::stop(std::uint32_t number, std::int64_t now) {
  advance(number, now);
  links_[number].is_paused = true;
  links_[number].is_held = 1;
  ++pauses_[number].count;
  pauses_[number].since = now;
  if (!ignores_pauses_.empty()) watch_pause(number, now);
}

void Engine::resume(std::uint32_t number, std::int64_t now) {
  Link& link = links_[number];
  link.is_held = 0;
  link.is_paused = link.is_down != 0;
  link.free_at = std::max(link.free_at, now);
  pauses_[number].total += now - pauses_[number].since;
  counters_.paused += Time::picoseconds(now - pauses_[number].since);
  if (!ignores_pauses_.empty()) watch_resume(number, now);
  schedule(number, link);
  if (buffers_.at(links_.spec(number).from).is_exact) plan_start(number, link);
}

// ---- senders

std::int64_t Engine::next_start(const Link& link, std::uint32_t sender) const {
  const SendOrder& order = senders_[sender];
  const std::int64_t data = order.next_start(link.free_at);
  return order.has_control() ? std::min(data, std::max(link.free_at, order.control().time)) : data;
}

void Engine::advance_sender(std::uint32_t number, std::int64_t now) {
  Link& link = links_[number];
  const std::uint32_t sender = sender_of_[number];
  SendOrder& order = senders_[sender];
  while (!link.is_paused) {
    const std::int64_t start = next_start(link, sender);
    if (start > now) return;
    if (order.has_control() && order.control().time <= start)
      send_control(number, order, start);
    else
      send_data(number, order, start);
  }
}

void Engine::send_control(std::uint32_t number, SendOrder& order, std::int64_t start) {
  Link& link = links_[number];
  Packet packet = order.control();
  order.pop_control();
  links_.push(link, packet);
  put_on_wire(number, link, start);
}

bool Engine::may_send(const QueuePair& pair, std::uint32_t number) const {
  if (pair.is_selective()) return may_send_selected(pair, number);
  if (pair.next_packet == pair.end_packet) return false;
  return std::uint64_t{pair.next_packet - pair.unacknowledged} * mtu_ < pair.window;
}

void Engine::enqueue(QueuePair& pair, std::uint32_t number, std::int64_t not_before) {
  if (pair.is_queued || !may_send(pair, number)) return;
  pair.is_queued = true;
  const std::uint32_t link = first_link(pair);
  senders_[pair.sender].add(number, std::max(pair.may_send_at, not_before), links_[link].free_at);
}

// Occupies the links inside a node that a packet crosses on its way to or from the NIC. The packet
// is cut through: the next link may start when the previous one starts. Returns the start on the
// last link.
std::int64_t Engine::occupy(std::uint32_t begin, std::uint32_t end, std::uint32_t bytes,
                            std::int64_t at) {
  for (std::uint32_t i = begin; i < end; ++i) {
    Link& link = links_[leg_links_[i]];
    at = std::max(at, link.free_at);
    link.free_at = at + links_.time_on(link, bytes);
  }
  return at;
}

// From a NIC to memory: returns the time at which the last of the links has delivered the packet.
std::int64_t Engine::to_memory(const Route& route, std::uint32_t bytes, std::int64_t now) {
  if (route.behind == route.end) return now;
  std::ignore = occupy(route.behind, route.end, bytes, now);
  std::int64_t end = now, latency = 0;
  for (std::uint32_t i = route.behind; i < route.end; ++i) {
    const Link& link = links_[leg_links_[i]];
    end = std::max(end, link.free_at);
    latency += link.latency;
  }
  in_memory_ = end + latency;
  return in_memory_;
}

// Whether a port may start a message now. If so, the next message must wait for port_message_gap.
bool Engine::takes_message_slot(std::uint32_t port, std::int64_t start) {
  if (message_slots_.empty()) return true;
  if (start < message_slots_[port]) return false;
  message_slots_[port] = start + parameters_.nic.port_message_gap.picoseconds();
  return true;
}

void Engine::send_data(std::uint32_t queue, SendOrder& order, std::int64_t start) {
  Link& link = links_[queue];
  const std::uint32_t number = order.take(start);
  QueuePair& pair = pairs_[number];
  pair.is_queued = false;
  if (!may_send(pair, number)) return;
  const bool is_again = pair.is_selective() && board_.counts(number).to_resend > 0;
  const std::uint32_t sequence = is_again ? take_resend(pair, number) : pair.next_packet;
  const Message& message = is_again ? message_of(pair, sequence) : messages_[pair.sending];
  const std::uint32_t port = links_.port_of(queue);
  if (!is_again && sequence == message.first_packet && !takes_message_slot(port, start)) {
    pair.is_queued = true;
    return order.add(number, message_slots_[port], link.free_at);
  }
  if (control_.before_send(number, pair.sender, start)) set_pace(pair, number);
  const std::uint32_t path = pair.paths == 1 ? 0 : choose_path(pair, number, start);
  Route& route = routes_[pair.first_path + path];
  const bool is_last = sequence + 1 == message.first_packet + message.packets;
  const std::uint32_t payload = is_last ? message.last_payload : mtu_;
  const std::uint32_t bytes = payload + route.overhead;
  start = occupy(route.before, route.behind, payload, start);
  Packet packet{.time = start,
                .pair = number,
                .sequence = sequence,
                .at = route.first,
                .bytes = static_cast<std::uint16_t>(bytes)};
  packet.lane = pair.lane & 7U;
  links_.push(link, packet);
  put_on_wire(queue, link, start);
  if (!is_adaptive_) count_on(route, bytes);
  ++counters_.data_sent;
  if (pair.next_packet == pair.unacknowledged) pair.progress_at = start;
  if (control_.needs_feedback() && route.overhead > 0)
    flights_.sent(number, pair.unacknowledged, sequence, start);
  if (!is_again) ++pair.next_packet;
  pair.may_send_at = start + static_cast<std::int64_t>(bytes * pair.pace >> 16);
  if (is_last && !is_again) {
    pair.sending = message.next;
    pair.may_send_at =
        std::max(pair.may_send_at, start + parameters_.nic.message_gap.picoseconds());
  }
  if (pair.is_selective())
    note_sent(pair, number,
              {.sequence = sequence, .path = path, .start = start, .is_again = is_again});
  if (control_.sent(number, pair.sender, bytes)) set_pace(pair, number);
  if (!pair.has_timer && route.overhead > 0) {
    pair.has_timer = true;
    push_event(from_domain_[queue], {start + patience(number), EventKind::timeout, number});
  }
  enqueue(pair, number, 0);
}

// Removes the message with the post time `now` from the list of future messages. Messages with
// equal times keep the order of the calls of post().
std::uint32_t Engine::take_posted(QueuePair& pair, std::int64_t now) {
  std::uint32_t before = kNoMessage, number = pair.to_post;
  while (messages_[number].posted_at != now) {
    before = number;
    number = messages_[number].next;
  }
  const std::uint32_t next = messages_[number].next;
  (before == kNoMessage ? pair.to_post : messages_[before].next) = next;
  if (next == kNoMessage) pair.last_to_post = before;
  messages_[number].next = kNoMessage;
  return number;
}

void Engine::post_now(std::uint32_t pair_number, std::int64_t now) {
  QueuePair& pair = pairs_[pair_number];
  const std::uint32_t number = take_posted(pair, now);
  if (!is_asking(pair_number) || may_ask(pair_number, number)) begin(pair_number, number, now);
}

void Engine::begin(std::uint32_t pair_number, std::uint32_t number, std::int64_t now) {
  QueuePair& pair = pairs_[pair_number];
  Message& message = messages_[number];
  const std::uint32_t first = first_link(pair);
  advance(first, now);
  if (pair.is_selective()) refill_credit(pair, pair_number);
  message.first_packet = pair.end_packet;
  pair.end_packet += message.packets;
  if (pair.oldest == kNoMessage)
    pair.oldest = number;
  else
    messages_[pair.newest].next = number;
  pair.newest = number;
  if (pair.sending == kNoMessage) pair.sending = number;
  tell_receiver(pair, number);
  enqueue(pair, pair_number, now);
  schedule(first, links_[first]);
}

// ---- receivers

void Engine::receive(const Packet& packet, std::int64_t now) {
  if (packet.kind == PacketKind::data) return receive_data(packet, now);
  QueuePair& pair = pairs_[packet.pair];
  const std::uint32_t first = first_link(pair);
  advance(first, now);
  if (packet.kind == PacketKind::congestion) {
    control_.congestion(packet.pair, pair.sender, now);
    set_pace(pair, packet.pair);
    return;
  }
  if (packet.kind == PacketKind::pull) {
    take_pull(packet.pair, packet.sequence);
    pair.progress_at = now;
  } else if (pair.is_selective()) {
    if (packet.kind == PacketKind::nack)
      take_nack(pair, packet.pair, packet.sequence, now);
    else if (packet.kind == PacketKind::returned)
      take_returned(pair, packet.pair, packet.sequence, now);
    else
      take_reports(pair, packet.pair, packet.sequence, now);
  } else if (is_silent(packet.pair)) {
    read_again(packet.pair, packet.sequence, now);
  } else {
    if (control_.needs_feedback() && packet.sequence > pair.unacknowledged)
      steer(pair, packet.pair, packet.sequence, now);
    // A NIC without adaptive retransmission requests a packet once; its time-outs count retries.
    const bool is_retry = parameters_.nic.first_timeout && packet.sequence <= pair.unacknowledged;
    acknowledge(pair, packet.pair, packet.sequence, now);
    if (packet.kind == PacketKind::nack) {
      if (is_retry && !may_retry(packet.pair, now)) return;
      note_loss(packet.pair, now);
      go_back(pair);
    }
  }
  enqueue(pair, packet.pair, now);
  schedule(first, links_[first]);
}

void Engine::receive_data(const Packet& packet, std::int64_t now) {
  QueuePair& pair = pairs_[packet.pair];
  if (!readers_.empty()) [[unlikely]]
    note_response(packet.pair, now);
  if (is_adaptive_) count_on(routes_[pair.first_path + route_at(pair, packet.at)], packet.bytes);
  if (packet.marked) {
    ++counters_.marked;
    if (control_.sends_cnps() && now >= pair.next_cnp_at) {
      pair.next_cnp_at = now + control_.cnp_interval();
      ++counters_.cnps;
      answer(pair, packet.pair, PacketKind::congestion, pair.expected, now);
    }
  }
  if (pair.accepts != Accepts::in_order)
    return pair.is_selective() ? receive_selected(pair, packet, now)
                               : accept_in_any_order(pair, packet, now);
  if (packet.sequence == pair.expected) return accept_in_order(pair, packet, now);
  if (packet.sequence > pair.expected) {
    return refuse(pair, packet, now);
  }
  // The packet was received before and was sent again.
  if (is_asking(packet.pair) && is_silent(packet.pair)) return respond_again(packet.pair, now);
  answer(pair, packet.pair, PacketKind::ack, pair.expected, now);
}

void Engine::accept_in_order(QueuePair& pair, const Packet& packet, std::int64_t now) {
  ++pair.expected;
  pair.has_nacked = false;
  const std::uint32_t number = pair.receiving;
  Message& message = messages_[number];
  const bool is_last = pair.expected == message.first_packet + message.packets;
  const std::uint32_t payload = is_last ? message.last_payload : mtu_;
  counters_.delivered_bytes += payload;
  const Route& route = route_of(pair, packet);
  const std::int64_t in_memory = to_memory(route, payload, now);
  if (is_last) complete(number, now, in_memory);
  if (route.overhead == 0) {
    if (is_last) acknowledge(pair, packet.pair, pair.expected, now);
    return;
  }
  if (++pair.since_ack < ack_interval_ && !is_last) return;
  pair.since_ack = 0;
  answer(pair, packet.pair, PacketKind::ack, pair.expected, now);
}

void Engine::accept_in_any_order(QueuePair& pair, const Packet& packet, std::int64_t now) {
  std::uint32_t number = pair.receiving;
  while (packet.sequence >= messages_[number].first_packet + messages_[number].packets)
    number = messages_[number].next;
  Message& message = messages_[number];
  const bool is_short = packet.sequence + 1 == message.first_packet + message.packets;
  const std::uint32_t payload = is_short ? message.last_payload : mtu_;
  counters_.delivered_bytes += payload;
  const std::int64_t in_memory = to_memory(route_of(pair, packet), payload, now);
  if (++message.received < message.packets) return;
  const bool is_first = number == pair.receiving, asks = is_asking(packet.pair);
  if (!asks) complete(number, now, in_memory);
  if (pair.is_selective()) report(pair, packet.pair, now);
  if (!is_first) return;
  while (pair.receiving != kNoMessage &&
         messages_[pair.receiving].received == messages_[pair.receiving].packets) {
    const std::uint32_t passed = pair.receiving;
    pass_by(pair);
    if (asks) respond(passed, packet.pair, now);
  }
  if (pair.is_selective()) return;
  pair.expected =
      pair.receiving == kNoMessage ? pair.end_packet : messages_[pair.receiving].first_packet;
  answer(pair, packet.pair, PacketKind::ack, pair.expected, now);
}

void Engine::complete(std::uint32_t number, std::int64_t now, std::int64_t in_memory) {
  const std::uint32_t pair_number = messages_[number].pair;
  QueuePair& pair = pairs_[pair_number];
  if (pair.accepts == Accepts::in_order) pass_by(pair);
  if (is_asking(pair_number)) return respond(number, pair_number, now);
  if (is_reader(pair_number)) finish_read(readers_[pair_number].partner, now);
  if (in_memory > now)
    push_event(to_domain_[last_link(pair)], {in_memory, EventKind::deliver, pair_number, number});
  else
    deliver(number, now);
}

void Engine::deliver(std::uint32_t number, std::int64_t now) {
  Message& message = messages_[number];
  message.is_delivered = true;
  --open_messages_;
  const std::uint32_t tag = message.tag;
  const bool is_acknowledged = message.pair == kNone;
  if (is_acknowledged) free_messages_.push_back(number);
  tell_delivery(tag, Time::picoseconds(now));
}

void Engine::answer(QueuePair& pair, std::uint32_t number, PacketKind kind, std::uint32_t sequence,
                    std::int64_t now) {
  if (kind == PacketKind::ack && is_silent(number)) return confirm_read(number, sequence, now);
  Route& route = routes_[pair.back_leg];
  const std::uint32_t lane = control_lane(pair);
  const std::uint32_t first = route_links_[route.first] + lane * links_.ports();
  advance(first, now);
  const bool asks_again = kind == PacketKind::nack && is_silent(number) && !is_asking(number);
  const auto bytes = static_cast<std::uint16_t>(
      asks_again ? overhead_ + kReadRequest
                 : static_cast<std::uint32_t>(parameters_.nic.ack_bytes.count()));
  count_on(route, bytes);
  Packet reply{.time = now,
               .pair = number,
               .sequence = sequence,
               .at = route.first,
               .bytes = bytes,
               .kind = kind};
  reply.lane = lane & 7U;
  senders_[sender_of_[first]].add_control(reply);
  schedule(first, links_[first]);
}

void Engine::acknowledge(QueuePair& pair, std::uint32_t number, std::uint32_t sequence,
                         std::int64_t now) {
  if (sequence <= pair.unacknowledged) return;
  pair.unacknowledged = sequence;
  pair.progress_at = now;
  retries_[number] = 0;
  while (pair.oldest != kNoMessage) {
    Message& message = messages_[pair.oldest];
    if (message.first_packet + message.packets > sequence) break;
    const std::uint32_t done = pair.oldest;
    if (pair.sending == done) pair.sending = message.next;
    pair.oldest = message.next;
    message.pair = kNone;
    if (message.is_delivered) free_messages_.push_back(done);
  }
  if (pair.next_packet < sequence) pair.next_packet = sequence;
}

// Records the queue depths at the start of a window, when all earlier events are done.
void Engine::sample(std::int64_t now) {
  for (std::uint32_t i = 0; i < links_.ports(); ++i) {
    if (links_[i].is_sender || !is_here(from_domain_[i])) continue;
    std::uint32_t queued = 0;
    for (std::uint32_t lane = i; lane < links_.size(); lane += links_.ports()) {
      if (links_[lane].is_empty()) continue;
      advance(lane, now);
      queued += links_[lane].queued;
    }
    if (queued > 0) samples_.push_back({now, i, queued});
  }
  next_sample_ = (now / sample_interval_ + 1) * sample_interval_;
}

// ---- the end

void Engine::check_conservation() const {
  std::uint64_t held = 0;
  for (std::uint32_t i = 0; i < links_.size(); ++i) held += links_[i].held + links_[i].queued;
  for (const Ingress::Nic& nic : ingress_.nics()) held += static_cast<std::uint64_t>(nic.bytes);
  if (counters_.posted_bytes == counters_.delivered_bytes && held == 0) return;
  throw std::logic_error(
      fmt::format("packet simulation: {} bytes posted, {} delivered, {} left in queues",
                  counters_.posted_bytes, counters_.delivered_bytes, held));
}

void Engine::report_stall() {
  if (credits_.are_used()) mark_stalled();
  if (!waiting_) find_waiting();  // with several threads collect() has done it
  const auto message_name = [&](std::uint32_t tag) {
    return message_name_ ? message_name_(tag) : fmt::format("message {}", tag);
  };
  bool is_broken = false;
  for (std::uint32_t i = 0; i < links_.size(); ++i)
    is_broken = is_broken || (links_[i].is_down & Link::kFailed) != 0;
  const auto port_name = [&](std::uint32_t queue) { return name_(links_.port_of(queue)); };
  sim::packet::report_stall({.open_messages = static_cast<std::uint64_t>(open_messages_),
                             .delivered_bytes = counters_.delivered_bytes,
                             .posted_bytes = counters_.posted_bytes,
                             .lost = counters_.lost,
                             .nic_lost = counters_.nic_lost,
                             .is_lossless = !loses_data(parameters_.switches),
                             .has_credits = credits_.are_used(),
                             .has_failed_links = is_broken,
                             .failure = failure_,
                             .waiting = waiting_,
                             .cycle = sim::packet::pause_cycle(links_, route_links_)},
                            message_name,
                            name_ ? std::function<std::string(std::uint32_t)>(port_name) : name_);
}

std::vector<std::uint32_t> Engine::pause_cycle() const {
  return sim::packet::pause_cycle(links_, route_links_);
}

std::vector<std::uint64_t> Engine::carried() const {
  std::vector<std::uint64_t> bytes(links_.size(), 0);
  for (const Route& route : routes_) {
    for (std::uint32_t i = route.first; route_links_[i] != kNone; ++i)
      bytes[route_links_[i]] += route.bytes;
    const std::uint64_t payload = route.bytes - route.packets * route.overhead;
    for (std::uint32_t i = route.before; i < route.end; ++i) bytes[leg_links_[i]] += payload;
  }
  return bytes;
}

}  // namespace railyard::sim::packet
