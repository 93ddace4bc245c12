// RDMA reads (Engine): the requester's NIC asks, the responder's NIC answers with data. Requests
// and responses are messages of two queue pairs.
//
// InfiniBand Architecture Specification 1.4, section 9.7: a response acknowledges its request, and
// nobody acknowledges a response (is_silent()). Where a packet of it is lost, the requester asks
// for it again: at once where a later one arrives, or after its time-out. The responder has no
// timer.
//
// Where acknowledges_reads(), both are like any other queue pair: of what is here, answers and the
// limit of outstanding reads alone apply.
#include <algorithm>
#include <cassert>

#include "sim/packet/engine/engine.hpp"

namespace railyard::sim::packet {

std::uint32_t Engine::add_reader(std::uint32_t data, std::uint32_t there, std::uint32_t back,
                                 Time lead) {
  const std::uint32_t asking = add_pair(there, 1, back, pairs_[data].lane);
  readers_.resize(pairs_.size());
  readers_[data] = {.partner = asking,
                    .delay = (parameters_.nic.read_latency + lead).picoseconds()};
  readers_[asking] = {.partner = data, .asks = true};
  pairs_[data].has_timer = is_silent(data);
  if (pairs_[asking].is_selective()) board_.counts(asking).initial_window = 0;  // is not pulled
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
  hand_over(data, response, now + readers_[data].delay);
}

// The requester issues the reads again that are not complete, from the first missing packet on.
void Engine::ask_again(std::uint32_t asking, std::int64_t now) {
  const std::uint32_t data = readers_[asking].partner;
  tell_responder({data, pairs_[data].expected, now, true});
  go_back(pairs_[asking]);
}

// A request that had arrived comes again, with those behind it: the first one of a try counts.
void Engine::respond_again(std::uint32_t pair, std::int64_t now) {
  Reader& reader = readers_[pair];
  if (!reader.comes_again) return;
  reader.comes_again = false;
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
  QueuePair& pair = pairs_[number];
  if (!is_asking(number)) {
    acknowledge(pair, number, sequence, now);
    return go_back_later(number, now);
  }
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
  if (pair.is_queued) senders_[pair.sender].remove(data);
  pair.is_queued = false;
  pair.may_send_at = std::max(pair.may_send_at, now + readers_[data].delay);
}

// A packet of a response, wanted or not: the requester's timer begins again.
void Engine::note_response(std::uint32_t pair, std::int64_t now) {
  if (!is_silent(pair) || is_asking(pair)) return;
  const std::uint32_t asking = readers_[pair].partner;
  pairs_[asking].progress_at = now;
  retries_[asking] = 0;
}

// Requests beyond those that may be outstanding wait.
bool Engine::may_ask(std::uint32_t asking, std::uint32_t number) {
  Reader& reader = readers_[asking];
  if (reader.outstanding < static_cast<std::uint32_t>(parameters_.nic.outstanding_reads)) {
    ++reader.outstanding;
    return true;
  }
  (reader.held == kNoMessage ? reader.held : messages_[reader.last_held].next) = number;
  reader.last_held = number;
  return false;
}

// A response is complete: the next request may leave.
void Engine::finish_read(std::uint32_t asking, std::int64_t now) {
  QueuePair& pair = pairs_[asking];
  if (is_silent(asking)) acknowledge(pair, asking, pair.unacknowledged + 1, now);
  Reader& reader = readers_[asking];
  const std::uint32_t number = reader.held;
  if (number == kNoMessage) {
    --reader.outstanding;
    return;
  }
  reader.held = messages_[number].next;
  messages_[number].next = kNoMessage;
  begin(asking, number, now);
}

// Where data would be acknowledged. The responder forgets what has arrived without a packet: what
// it sends does not depend on it.
void Engine::confirm_read(std::uint32_t pair, std::uint32_t sequence, std::int64_t now) {
  if (!is_asking(pair)) tell_responder({pair, sequence, now});
}

// Before the next packet of the requester arrives.
void Engine::tell_responder(const Outbox::Response& response) {
  const QueuePair& pair = pairs_[response.pair];
  if (sender_domain(pair) == receiver_domain(pair)) return take(response);
  out(sender_domain(pair)).responses.push_back(response);
}

void Engine::take(const Outbox::Response& response) {
  acknowledge(pairs_[response.pair], response.pair, response.sequence, response.time);
  if (response.comes_again) readers_[readers_[response.pair].partner].comes_again = true;
}

}  // namespace railyard::sim::packet
