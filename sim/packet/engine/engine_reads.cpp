// Engine: RDMA reads. The requester's NIC sends requests, and the responder's NIC answers with
// data. Requests and responses are messages of two queue pairs.
//
// InfiniBand Architecture Specification 1.4, section 9.7: a response acknowledges its request, and
// responses are not acknowledged (is_silent()). If a packet of a response is lost, the requester
// requests it again: immediately if a later packet arrives, otherwise after its time-out. The
// responder has no timer.
//
// If acknowledges_reads() is true, both queue pairs behave like any other, and of this file only
// the answers and the limit of outstanding reads apply.
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
  if (pairs_[asking].is_selective())
    board_.counts(asking).initial_window = 0;  // requests are not
                                               // pulled
  set_pace(pairs_[data], data);
  set_pace(pairs_[asking], asking);
  return asking;
}

// Handles a request that has arrived at the responder.
void Engine::respond(std::uint32_t number, std::uint32_t pair, std::int64_t now) {
  Message& request = messages_[number];
  request.is_delivered = true;
  --open_messages_;
  counters_.delivered_bytes -= kReadRequest;  // a request is not payload
  const std::uint32_t data = readers_[pair].partner;
  const Message response{.bytes = request.bytes, .pair = data, .tag = request.tag};
  if (request.pair == kNone) free_messages_.push_back(number);
  hand_over(data, response, now + readers_[data].delay);
}

// Repeats all reads that are not complete, from the first missing packet on.
void Engine::ask_again(std::uint32_t asking, std::int64_t now) {
  const std::uint32_t data = readers_[asking].partner;
  tell_responder({data, pairs_[data].expected, now, true});
  go_back(pairs_[asking]);
}

// Handles repeated requests that the responder has received before. Only the first one of a
// repetition has an effect.
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

// Goes back to packet `sequence`, which is missing, in a response or among requests.
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
  for (std::uint32_t i = pair.unacknowledged; i < sequence; ++i)  // each request is one packet
    pair.sending = messages_[pair.sending].next;
}

// Lets the responder send the missing packets of a response again, after its delay.
void Engine::go_back_later(std::uint32_t data, std::int64_t now) {
  QueuePair& pair = pairs_[data];
  go_back(pair);
  if (pair.is_queued) senders_[pair.sender].remove(data);
  pair.is_queued = false;
  pair.may_send_at = std::max(pair.may_send_at, now + readers_[data].delay);
}

// Restarts the requester's timer: a packet of a response has arrived, whether it was expected or
// not.
void Engine::note_response(std::uint32_t pair, std::int64_t now) {
  if (!is_silent(pair) || is_asking(pair)) return;
  const std::uint32_t asking = readers_[pair].partner;
  pairs_[asking].progress_at = now;
  retries_[asking] = 0;
}

// Whether a request may be sent. If too many are outstanding, the request is put on the waiting
// list.
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

// Handles a complete response: the next waiting request may be sent.
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

// Replaces the acknowledgement of a response, which is not sent: tells the responder directly which
// packets have arrived, so that it can forget them. What it sends does not depend on this.
void Engine::confirm_read(std::uint32_t pair, std::uint32_t sequence, std::int64_t now) {
  if (!is_asking(pair)) tell_responder({pair, sequence, now});
}

// Tells the responder before the next packet of the requester arrives.
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
