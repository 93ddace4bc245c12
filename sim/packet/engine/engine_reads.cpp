// RDMA reads (Engine): the requester's NIC asks, the responder's NIC answers with data. InfiniBand
// Architecture Specification 1.4, section 9.7: a response acknowledges its request, and nobody
// acknowledges a response. Where a packet of it is lost, the requester asks for it again: at once
// where a later one arrives, or after its time-out. The responder has no timer.
#include <algorithm>
#include <cassert>

#include "sim/packet/engine/engine.hpp"

namespace railyard::sim::packet {

std::uint32_t Engine::add_reader(std::uint32_t data, std::uint32_t there, std::uint32_t back,
                                 Time lead) {
  assert(parameters_.nic.recovery == Recovery::go_back_n);
  const std::uint32_t asking = add_pair(there, 1, back, pairs_[data].lane);
  readers_.resize(pairs_.size());
  readers_[data] = {.partner = asking,
                    .delay = (parameters_.nic.read_latency + lead).picoseconds()};
  readers_[asking] = {.partner = data, .asks = true};
  pairs_[data].has_timer = true;
  set_pace(pairs_[data], data);
  set_pace(pairs_[asking], asking);
  return asking;
}

// A request has arrived at the responder.
void Engine::respond(std::uint32_t number, std::uint32_t pair, std::int64_t now) {
  Message& request = messages_[number];
  request.is_delivered = true;
  --open_messages_;
  counters_.delivered_bytes -= kReadRequest;  // it is no payload
  const std::uint32_t data = readers_[pair].partner;
  const Message response{.bytes = request.bytes, .pair = data, .tag = request.tag};
  if (request.pair == kNone) free_messages_.push_back(number);
  readers_[pair].repeated = kNone;
  hand_over(data, response, now + readers_[data].delay);
}

// A request that had arrived comes again, with those behind it.
void Engine::respond_again(std::uint32_t pair, std::uint32_t sequence, std::int64_t now) {
  Reader& reader = readers_[pair];
  const bool is_first = reader.repeated == kNone || sequence <= reader.repeated;
  reader.repeated = sequence;
  if (!is_first) return;
  const std::uint32_t number = reader.partner;
  QueuePair& data = pairs_[number];
  const std::uint32_t first = first_link(data);
  advance(first, now);
  go_back_later(number, now);
  enqueue(data, number, now);
  schedule(first, links_[first]);
}

// A packet is missing of a response, or a request.
void Engine::read_again(std::uint32_t number, std::uint32_t sequence, std::int64_t now) {
  if (!is_asking(number)) return go_back_later(number, now);
  QueuePair& pair = pairs_[number];
  if (sequence < pair.unacknowledged || sequence >= pair.next_packet) return;
  counters_.retransmitted += pair.next_packet - sequence;
  pair.next_packet = sequence;
  pair.sending = pair.oldest;
  for (std::uint32_t i = pair.unacknowledged; i < sequence; ++i)  // a packet each
    pair.sending = messages_[pair.sending].next;
}

// What is missing of a response is read once more.
void Engine::go_back_later(std::uint32_t data, std::int64_t now) {
  QueuePair& pair = pairs_[data];
  go_back(pair);
  pair.may_send_at = std::max(pair.may_send_at, now + readers_[data].delay);
}

// A packet of a response, wanted or not: the requester's timer begins again.
void Engine::note_response(std::uint32_t pair, std::int64_t now) {
  if (!is_reader(pair) || is_asking(pair)) return;
  const std::uint32_t asking = readers_[pair].partner;
  pairs_[asking].progress_at = now;
  retries_[asking] = 0;
}

// A response is complete: the next request may leave.
void Engine::finish_read(std::uint32_t number, std::int64_t now) {
  QueuePair& pair = pairs_[number];
  const std::uint32_t first = first_link(pair);
  advance(first, now);
  acknowledge(pair, number, pair.unacknowledged + 1, now);
  enqueue(pair, number, now);
  schedule(first, links_[first]);
}

// Where data would be acknowledged. The responder forgets what has arrived without a packet: what
// it sends does not depend on it.
void Engine::confirm_read(std::uint32_t pair, std::uint32_t sequence, std::int64_t now) {
  if (is_asking(pair)) return;
  out(sender_domain(pairs_[pair])).responses.push_back({pair, sequence, now});
}

}  // namespace railyard::sim::packet
