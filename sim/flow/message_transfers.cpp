#include "sim/flow/message_transfers.hpp"

#include <algorithm>

#include "sim/link_capacity.hpp"

namespace railyard::sim {

MessageTransfers::MessageTransfers(const topology::Cluster& cluster, double start)
    : cluster_(cluster),
      start_(start),
      router_(cluster, cluster.spec().fabric.routing),
      wire_(wire_factors(cluster, collectives::Protocol::simple)),
      fluid_(link_capacities(cluster, {})) {}

const std::vector<topology::Hop>& MessageTransfers::path(Rank from, Rank to) {
  const auto [at, is_new] = paths_.try_emplace({from, to});
  if (is_new) {
    router_.route({.source = cluster_.gpu(from), .destination = cluster_.gpu(to)}, at->second);
    for (topology::Hop& hop : at->second) hop.share *= wire_.of(cluster_.link(hop.link).kind);
  }
  return at->second;
}

std::size_t MessageTransfers::send(double now, std::span<const MessagePart> parts) {
  while (fluid_.now() < now) end_streams(fluid_.advance(now));
  const std::size_t number = parts_left_.size();
  parts_left_.push_back(parts.size());
  for (const MessagePart& part : parts) {
    const StreamId stream = fluid_.add({.hops = path(part.from, part.to), .bytes = part.bytes});
    // Numbers of completed streams are reused.
    if (stream.index() >= message_of_stream_.size()) message_of_stream_.resize(stream.index() + 1);
    message_of_stream_[stream.index()] = number;
  }
  return number;
}

void MessageTransfers::end_streams(std::span<const StreamId> streams) {
  for (const StreamId stream : streams) {
    const std::size_t message = message_of_stream_[stream.index()];
    if (--parts_left_[message] == 0) through_.emplace(fluid_.now() + start_, message);
  }
}

double MessageTransfers::advance(double until, std::vector<std::size_t>& arrived) {
  while (true) {
    const double next = through_.empty() ? until : std::min(until, through_.top().first);
    const auto completed = fluid_.advance(next);
    end_streams(completed);
    if (!completed.empty()) continue;
    while (!through_.empty() && through_.top().first <= next) {
      arrived.push_back(through_.top().second);
      through_.pop();
    }
    return next;
  }
}

}  // namespace railyard::sim
