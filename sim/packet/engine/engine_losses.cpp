// Losses under go-back-N, and time-outs (Engine).
#include <algorithm>
#include <limits>

#include "sim/packet/engine/engine.hpp"
#include "sim/packet/engine/losses.hpp"

namespace railyard::sim::packet {
namespace {

constexpr std::int64_t kRetries = 7;

}  // namespace

std::int64_t timeout_after(const NicParameters& nic, std::uint32_t retries) {
  const std::int64_t longest = nic.retransmit_timeout.picoseconds();
  std::int64_t timeout = nic.first_timeout.value_or(nic.retransmit_timeout).picoseconds();
  for (std::uint32_t i = 0; i < retries && timeout < longest; ++i) timeout *= 2;
  return std::min(timeout, longest);
}

std::uint8_t most_retries(const NicParameters& nic) {
  const std::int64_t all = kRetries * nic.retransmit_timeout.picoseconds();
  std::uint8_t count = 0;
  std::int64_t waited = timeout_after(nic, 0);
  while (waited <= all && count < std::numeric_limits<std::uint8_t>::max() - 1)
    waited += timeout_after(nic, ++count);
  return count;
}

// A packet arrives although an earlier one is missing. The receiver requests the missing packet
// with a negative acknowledgement, once per gap. NICs with adaptive retransmission request it again
// if it was lost a second time. They detect this on a single path, which keeps the order of
// packets: the sender has gone back if a sequence number is not above the one that was refused
// before. With several paths such a packet may only have been overtaken. NICs without adaptive
// retransmission wait for the sender's time-out, which relieves the congested port.
void Engine::refuse(QueuePair& pair, const Packet& packet, std::int64_t now) {
  if (refused_.size() < pairs_.size()) refused_.resize(pairs_.size(), 0);
  std::uint32_t& before = refused_[packet.pair];
  const bool is_lost_again =
      parameters_.nic.first_timeout && pair.paths == 1 && packet.sequence <= before;
  if (!pair.has_nacked || is_lost_again)
    answer(pair, packet.pair, PacketKind::nack, pair.expected, now);
  pair.has_nacked = true;
  before = packet.sequence;
}

void Engine::go_back(QueuePair& pair) {
  if (pair.next_packet == pair.unacknowledged) return;
  counters_.retransmitted += pair.next_packet - pair.unacknowledged;
  pair.next_packet = pair.unacknowledged;
  pair.sending = pair.oldest;
}

std::int64_t Engine::patience(std::uint32_t number) const {
  return timeout_after(parameters_.nic, retries_[number]);
}

// Counts a retry without progress since the last acknowledgement of something new. False: it is one
// too many, and the queue pair fails. InfiniBand Architecture Specification 1.4, section 9.9.2.1.1,
// counts time-outs and negative acknowledgements in one counter.
bool Engine::may_retry(std::uint32_t number, std::int64_t now) {
  if (stuck_since_.size() < pairs_.size()) stuck_since_.resize(pairs_.size(), 0);
  if (retries_[number] == 0) stuck_since_[number] = pairs_[number].progress_at;
  if (++retries_[number] <= most_retries_) return true;
  fail(number, now);
  return false;
}

// The run ends with the window: the first one in time, whichever thread has met it.
void Engine::fail(std::uint32_t number, std::int64_t now) {
  const QueuePair& pair = pairs_[number];
  const OpenMessage failed{.at = now,
                           .since = stuck_since_[number],
                           .pair = number,
                           .tag = messages_[pair.oldest].tag,
                           .retries = most_retries_};
  if (!failure_ || is_before(failed, *failure_)) failure_ = failed;
}

// Of the queue pairs that wait for acknowledgements, the one whose message was posted first.
void Engine::find_waiting() {
  for (std::uint32_t number = 0; number < pairs_.size(); ++number) {
    const QueuePair& pair = pairs_[number];
    if (pair.oldest == kNoMessage || !is_here(sender_domain(pair))) continue;
    const Message& message = messages_[pair.oldest];
    const OpenMessage one{.at = message.posted_at, .pair = number, .tag = message.tag};
    if (!waiting_ || is_before(one, *waiting_)) waiting_ = one;
  }
}

void Engine::resend_after_timeout(std::uint32_t number, std::int64_t now) {
  QueuePair& pair = pairs_[number];
  pair.has_timer = false;
  if (pair.is_selective()) return resend_selected(pair, number, now);
  if (pair.next_packet == pair.unacknowledged) return;
  pair.has_timer = true;  // what is sent now must not plan another one
  if (now >= pair.progress_at + patience(number)) {
    const bool asks = is_asking(number) && is_silent(number);
    const QueuePair& data = asks ? pairs_[readers_[number].partner] : pair;
    if (data.accepts != Accepts::in_order) return;  // acknowledgements do not show losses
    if (!may_retry(number, now)) return;
    const std::uint32_t first = first_link(pair);
    advance(first, now);
    ++counters_.timeouts;
    note_loss(number, now);
    set_pace(pair, number);
    if (asks)
      ask_again(number, now);
    else
      go_back(pair);
    pair.progress_at = now;
    enqueue(pair, number, now);
    schedule(first, links_[first]);
  }
  push_event(from_domain_[first_link(pair)],
             {pair.progress_at + patience(number), EventKind::timeout, number});
}

}  // namespace railyard::sim::packet
