// Receivers that keep what follows a gap, and pulls (Engine).
#include <algorithm>

#include "sim/packet/engine/engine.hpp"
#include "sim/packet/engine/losses.hpp"
#include "topology/routing/flow_hash.hpp"

namespace railyard::sim::packet {
namespace {

/// Most grants that a sender requests in advance, in initial windows (uet-htsim: 1.5
/// bandwidth-delay products).
constexpr double kMostWanted = 1.5;

}  // namespace

// ---- the receiver

void Engine::receive_selected(QueuePair& pair, const Packet& packet, std::int64_t now) {
  const std::uint32_t number = packet.pair;
  Scoreboard::Counts& counts = board_.counts(number);
  if (control_.is_pulled()) note_arrival(pair, packet, now);
  const bool is_known =
      packet.sequence < pair.expected || board_.slot(number, packet.sequence).received;
  if (is_known) return report(pair, number, now);
  if (packet.trimmed) {
    // The sender's window shrinks, and it may wait for packets that it sent without asking: until
    // the gap is closed, each packet is reported, and those before it now.
    if (pair.since_ack > 0) report(pair, number, now);
    pair.has_nacked = true;
    counts.end_received = std::max(counts.end_received, packet.sequence + 1);
    return answer(pair, number, PacketKind::nack, packet.sequence, now);
  }
  Scoreboard::Slot& slot = board_.slot(number, packet.sequence);
  slot.received = true;
  note_report(pair, number, {packet.sequence, packet.marked});
  ++pair.since_ack;
  const bool is_in_order = packet.sequence == pair.expected;
  // The first packet, a mark, a gap and a sender that waits are reported at once.
  const bool is_urgent = packet.marked || slot.asks || pair.has_nacked ||
                         (!is_in_order && pair.paths == 1) || counts.reported == 1 ||
                         pair.since_ack >= ack_interval_;
  counts.end_received = std::max(counts.end_received, packet.sequence + 1);
  while (pair.expected < counts.end_received && board_.slot(number, pair.expected).received)
    ++pair.expected;
  if (pair.expected == counts.end_received) pair.has_nacked = false;
  accept_in_any_order(pair, packet, now);
  if (is_urgent && pair.since_ack > 0) report(pair, number, now);
}

void Engine::report(QueuePair& pair, std::uint32_t number, std::int64_t now) {
  pair.since_ack = 0;
  answer(pair, number, PacketKind::ack, board_.counts(number).reported, now);
}

// ---- the sender

void Engine::take_reports(QueuePair& pair, std::uint32_t number, std::uint32_t count,
                          std::int64_t now) {
  Scoreboard::Counts& counts = board_.counts(number);
  Ring<Scoreboard::Report>& reports = board_.reports(number);
  Feedback feedback{.now = now};
  std::uint32_t end = 0, path = 0;
  while (static_cast<std::uint32_t>(reports.popped()) < count) {
    const Scoreboard::Report one = reports.front();
    reports.pop();
    Scoreboard::Slot& slot = board_.slot(number, one.sequence);
    slot.acknowledged = true;
    if (slot.to_resend) {
      slot.to_resend = false;
      --counts.to_resend;
    } else {
      --counts.on_the_way;
    }
    ++feedback.packets;
    feedback.is_marked = one.marked;
    feedback.rtt = slot.resent ? 0 : now - slot.sent_at;
    end = std::max(end, one.sequence + 1);
    path = slot.path;
  }
  if (feedback.packets == 0) return;
  judge_path(number, path, feedback.is_marked);
  feedback.on_the_way = counts.on_the_way;
  std::uint32_t sequence = pair.unacknowledged;
  while (sequence < pair.next_packet && board_.slot(number, sequence).acknowledged) ++sequence;
  if (control_.needs_feedback() && sequence > pair.unacknowledged)
    steer(pair, number, sequence, now);
  else if (!control_.needs_feedback())
    control_.acknowledged(number, feedback, {});
  acknowledge(pair, number, sequence, now);
  pair.progress_at = now;
  retries_[number] = 0;
  if (pair.paths == 1 && !parameters_.switches.trim) find_gaps(pair, number, end, now);
  if (parameters_.switches.return_to_sender) repeat_returned(number);
  set_pace(pair, number);
}

// An acknowledgement returns the path and the mark of the packet that caused it, the last one that
// it reports.
void Engine::judge_path(std::uint32_t number, std::uint32_t path, bool is_marked) {
  const PathChoice choice = parameters_.nic.path_choice;
  if (!is_marked && recycles_paths(choice)) recycled_.good(number, path);
  if (is_marked && skips_paths(choice)) skipped_.bad(number, path, SkippedPaths::kMark);
}

// One path keeps the order, so a packet is lost where a later one has arrived (IRN: Mittal et al.,
// "Revisiting network support for RDMA", SIGCOMM 2018, section 3.1). Each packet is looked at once:
// where it is lost again, the timer finds it.
void Engine::find_gaps(const QueuePair& pair, std::uint32_t number, std::uint32_t end,
                       std::int64_t now) {
  Scoreboard::Counts& counts = board_.counts(number);
  for (std::uint32_t i = std::max(counts.scanned, pair.unacknowledged); i < end; ++i) {
    const Scoreboard::Slot& slot = board_.slot(number, i);
    if (!slot.acknowledged && !slot.to_resend) mark_lost(number, i, now);
  }
  counts.scanned = std::max(counts.scanned, end);
}

void Engine::mark_lost(std::uint32_t number, std::uint32_t sequence, std::int64_t now) {
  Scoreboard::Counts& counts = board_.counts(number);
  Scoreboard::Slot& slot = board_.slot(number, sequence);
  slot.to_resend = slot.resent = true;
  board_.resend(number).push(sequence);
  ++counts.to_resend;
  --counts.on_the_way;
  note_loss(number, now, counts.on_the_way);
}

void Engine::take_nack(QueuePair& pair, std::uint32_t number, std::uint32_t sequence,
                       std::int64_t now) {
  if (sequence < pair.unacknowledged) return;
  const Scoreboard::Slot& slot = board_.slot(number, sequence);
  if (slot.acknowledged || slot.to_resend) return;
  mark_lost(number, sequence, now);
  if (skips_paths(parameters_.nic.path_choice))
    skipped_.bad(number, slot.path, SkippedPaths::kTrimmed);
  pair.progress_at = now;
  retries_[number] = 0;
  set_pace(pair, number);
}

// The receiver has not seen a returned packet, so it grants nothing for it. The sender repeats it
// with the grants for its other packets, and at once where none of them is on its way (NDP, section
// 3.2.4).
void Engine::take_returned(QueuePair& pair, std::uint32_t number, std::uint32_t sequence,
                           std::int64_t now) {
  ++board_.counts(number).returned;
  take_nack(pair, number, sequence, now);
  repeat_returned(number);
}

void Engine::repeat_returned(std::uint32_t number) {
  Scoreboard::Counts& counts = board_.counts(number);
  if (counts.returned == 0 || counts.on_the_way > 0 || counts.credit > 0) return;
  --counts.returned;
  if (counts.to_resend > 0) counts.credit = 1;
}

bool Engine::may_send_selected(const QueuePair& pair, std::uint32_t number) const {
  const Scoreboard::Counts& counts = board_.counts(number);
  if (counts.to_resend == 0 && pair.next_packet == pair.end_packet) return false;
  if (counts.initial_window > 0 && counts.credit == 0) return false;
  return std::uint64_t{counts.on_the_way} * mtu_ < pair.window;
}

std::uint32_t Engine::take_resend(const QueuePair& pair, std::uint32_t number) {
  Ring<std::uint32_t>& resend = board_.resend(number);
  while (true) {
    const std::uint32_t sequence = resend.front();
    resend.pop();
    if (sequence < pair.unacknowledged || !board_.slot(number, sequence).to_resend) continue;
    board_.slot(number, sequence).to_resend = false;
    --board_.counts(number).to_resend;
    ++counters_.retransmitted;
    return sequence;
  }
}

const Message& Engine::message_of(const QueuePair& pair, std::uint32_t sequence) const {
  std::uint32_t number = pair.oldest;
  while (sequence >= messages_[number].first_packet + messages_[number].packets)
    number = messages_[number].next;
  return messages_[number];
}

std::uint32_t Engine::choose_path(QueuePair& pair, std::uint32_t number, std::int64_t start) {
  if (parameters_.nic.path_choice == PathChoice::flowlet) {
    std::int64_t& last = last_sent_at_[number];
    const bool is_next =
        last != SendOrder::kNever && start - last >= parameters_.nic.flowlet_gap.picoseconds();
    last = start;
    if (is_next && ++pair.path_cursor == pair.paths) pair.path_cursor = 0;
    return pair.path_cursor;
  }
  if (heeds_marks(parameters_.nic.path_choice) && pair.is_selective())
    return choose_heeded(pair, number);
  const std::uint32_t path = pair.path_cursor;
  if (++pair.path_cursor == pair.paths) pair.path_cursor = 0;
  return path;
}

// A path that is known to be good, else one that is not known to be bad, or any.
std::uint32_t Engine::choose_heeded(QueuePair& pair, std::uint32_t number) {
  const PathChoice choice = parameters_.nic.path_choice;
  if (recycles_paths(choice)) {
    const std::uint32_t path = recycled_.take(number);
    if (path != RecycledPaths::kNoPath) return path;
  }
  if (skips_paths(choice)) return skipped_.take(number);
  const std::uint64_t draw = topology::mix(seed_ ^ number);
  return static_cast<std::uint32_t>(topology::mix(draw ^ pair.path_cursor++) % pair.paths);
}

void Engine::note_sent(QueuePair& pair, std::uint32_t number, const Sent& sent) {
  Scoreboard::Counts& counts = board_.counts(number);
  Scoreboard::Slot& slot = sent.is_again ? board_.slot(number, sent.sequence)
                                         : board_.add(number, pair.unacknowledged, sent.sequence);
  slot.sent_at = sent.start;
  if (sent.is_again) board_.repeats(number).push({sent.start, sent.sequence});
  slot.path = static_cast<std::uint16_t>(sent.path);
  ++counts.on_the_way;
  std::uint32_t wanted = 0;
  if (counts.initial_window > 0) {
    if (counts.credit > 0) --counts.credit;
    const std::uint32_t open = pair.end_packet - pair.next_packet + counts.to_resend;
    const auto most = static_cast<std::uint32_t>(kMostWanted * counts.initial_window + 1);
    wanted = counts.pulled + (open > counts.credit ? std::min(open - counts.credit, most) : 0);
  }
  tell_receiver(pair, {.pair = number,
                       .oldest = pair.unacknowledged,
                       .sequence = sent.sequence,
                       .wanted = wanted,
                       .asks = !may_send(pair, number),
                       .is_again = sent.is_again});
}

// The packet of a queue pair whose time-out is next: of those on their way, the one that was sent
// first. Packets that were sent once are in the order of their numbers.
std::uint32_t Engine::first_timed(const QueuePair& pair, std::uint32_t number) {
  std::uint32_t& timed = board_.counts(number).timed;
  Ring<Scoreboard::Repeat>& repeats = board_.repeats(number);
  timed = std::max(timed, pair.unacknowledged);
  for (; timed < pair.next_packet; ++timed) {
    const Scoreboard::Slot& slot = board_.slot(number, timed);
    if (!slot.acknowledged && !slot.resent) break;
  }
  for (; !repeats.empty(); repeats.pop()) {
    const auto [sent_at, sequence] = repeats.front();
    if (sequence < pair.unacknowledged) continue;
    const Scoreboard::Slot& slot = board_.slot(number, sequence);
    if (!slot.acknowledged && !slot.to_resend && slot.sent_at == sent_at) break;
  }
  if (timed == pair.next_packet) return repeats.empty() ? kNone : repeats.front().sequence;
  if (repeats.empty() || board_.slot(number, timed).sent_at < repeats.front().sent_at) return timed;
  return repeats.front().sequence;
}

// A time-out covers all packets that were on their way when it came: each is sent again when its
// own time is over, and a time-out without progress is counted once. So the next one is that of a
// packet that was sent after it.
void Engine::resend_selected(QueuePair& pair, std::uint32_t number, std::int64_t now) {
  if (pair.unacknowledged == pair.next_packet && pair.next_packet == pair.end_packet) return;
  const std::int64_t patience = this->patience(number);
  const std::uint32_t retries = retries_[number];
  const std::int64_t before = timeout_after(parameters_.nic, retries > 0 ? retries - 1 : 0);
  const std::uint32_t first = first_link(pair);
  pair.has_timer = true;  // what is sent now must not plan another one
  advance(first, now);
  Scoreboard::Counts& counts = board_.counts(number);
  std::int64_t next = now + patience;
  std::uint32_t lost = 0;
  bool has_expired = false;
  for (std::uint32_t i = kNone; (i = first_timed(pair, number)) != kNone;) {
    const Scoreboard::Slot& slot = board_.slot(number, i);
    const bool is_new = slot.sent_at >= counts.expired_at;
    const std::int64_t end = slot.sent_at + (is_new ? patience : before);
    if (end > now) {
      next = std::min(next, end);
      break;
    }
    has_expired = has_expired || is_new;
    mark_lost(number, i, now);
    if (skips_paths(parameters_.nic.path_choice))
      skipped_.bad(number, slot.path, SkippedPaths::kMost);
    ++lost;
  }
  // Where nothing is on its way, the sender waits for its turn to be pulled; a pull may be lost.
  const bool waits = counts.initial_window > 0 && counts.on_the_way == 0 && counts.credit == 0;
  const bool is_stuck = waits && pair.progress_at + patience <= now;
  if (waits && !is_stuck) next = std::min(next, pair.progress_at + patience);
  if (has_expired || (is_stuck && lost == 0)) {
    if (!may_retry(number, now)) return;
    ++counters_.timeouts;
    counts.expired_at = now;
  }
  if (lost > 0 || is_stuck) {
    if (counts.initial_window > 0) counts.credit = std::max(counts.credit, std::max(lost, 1U));
    set_pace(pair, number);
    enqueue(pair, number, now);
    schedule(first, links_[first]);
  }
  push_event(from_domain_[first], {next, EventKind::timeout, number});
}

// ---- pulls

// A message is about to be sent. Where nothing is left to announce it, it may fill the first
// window, and sends a packet.
void Engine::refill_credit(const QueuePair& pair, std::uint32_t number) {
  Scoreboard::Counts& counts = board_.counts(number);
  if (counts.initial_window == 0 || pair.next_packet != pair.end_packet || counts.to_resend > 0)
    return;
  const std::uint32_t open =
      counts.initial_window - std::min(counts.initial_window, counts.on_the_way);
  counts.credit = std::max({counts.credit, 1U, open});
}

// NDP grants a packet for each arrived packet, RCCC for each packet that the sender requested.
bool Engine::wants_pull(const Scoreboard::Counts& counts) const {
  if (counts.granted >= counts.wanted) return false;
  return parameters_.congestion == Congestion::rccc || counts.granted < counts.arrived;
}

void Engine::note_arrival(QueuePair& pair, const Packet& packet, std::int64_t now) {
  Scoreboard::Counts& counts = board_.counts(packet.pair);
  ++counts.arrived;
  if (!pull_rates_.empty()) {
    const std::uint32_t pacer = pacer_of_[last_link(pair)];
    pull_rates_[pacer].arrived(now, packet.marked, packet.trimmed, packet.trimmed_before);
    pacers_[pacer].slow_to(pull_rates_[pacer].share());
  }
  if (packet.sequence >= pair.expected)
    counts.wanted = std::max(counts.wanted, board_.slot(packet.pair, packet.sequence).wanted);
  if (packet.trimmed) counts.wanted = std::max(counts.wanted, counts.granted + 1);
  request_pull(pair, packet.pair, now);
}

void Engine::request_pull(QueuePair& pair, std::uint32_t number, std::int64_t now) {
  Scoreboard::Counts& counts = board_.counts(number);
  if (counts.is_pulling || !wants_pull(counts)) return;
  counts.is_pulling = true;
  const std::uint32_t port = last_link(pair);
  const std::int64_t at = pacers_[pacer_of_[port]].add(number, now);
  if (at >= 0) push_event(to_domain_[port], {at, EventKind::pull, port});
}

void Engine::pull(std::uint32_t port, std::int64_t now) {
  PullPacer& pacer = pacers_[pacer_of_[port]];
  const std::uint32_t number = pacer.take(now);
  QueuePair& pair = pairs_[number];
  Scoreboard::Counts& counts = board_.counts(number);
  counts.is_pulling = false;
  if (wants_pull(counts)) {
    ++counts.granted;
    ++counters_.pulls;
    answer(pair, number, PacketKind::pull, counts.granted, now);
    request_pull(pair, number, now);
  }
  const std::int64_t next = pacer.plan();
  if (next >= 0) push_event(to_domain_[port], {next, EventKind::pull, port});
}

void Engine::take_pull(std::uint32_t number, std::uint32_t granted) {
  Scoreboard::Counts& counts = board_.counts(number);
  if (granted <= counts.pulled) return;
  counts.credit += granted - counts.pulled;
  counts.pulled = granted;
}

}  // namespace railyard::sim::packet
