#include "apps/plan/serve/fabric_transfers.hpp"

#include <algorithm>

#include "sim/link_capacity.hpp"

namespace railyard::apps {

using placement::serving::CachePart;
using placement::serving::CacheTransfer;

FabricTransfers::FabricTransfers(const topology::Cluster& cluster,
                                 placement::serving::PoolLayout layout)
    : cluster_(cluster),
      layout_(std::move(layout)),
      router_(cluster, cluster.spec().fabric.routing),
      wire_(sim::wire_factors(cluster, collectives::Protocol::simple)),
      fluid_(sim::link_capacities(cluster, {})) {}

const std::vector<topology::Hop>& FabricTransfers::path(std::uint32_t from, std::uint32_t to) {
  const auto [at, is_new] = paths_.try_emplace({from, to});
  if (is_new) {
    router_.route({.source = cluster_.gpu(Rank(from)), .destination = cluster_.gpu(Rank(to))},
                  at->second);
    for (topology::Hop& hop : at->second) hop.share *= wire_.of(cluster_.link(hop.link).kind);
  }
  return at->second;
}

void FabricTransfers::send(double now, const CacheTransfer& transfer) {
  while (fluid_.now() < now) end_streams(fluid_.advance(now));
  OnItsWay& cache = caches_.emplace_back(OnItsWay{.transfer = transfer});
  for (const CachePart& part : cache_parts(layout_, transfer.from, transfer.to)) {
    const sim::StreamId stream =
        fluid_.add({.hops = path(part.from, part.to), .bytes = transfer.tokens * part.token_bytes});
    // Numbers of completed streams are used again.
    if (stream.index() >= cache_of_stream_.size()) cache_of_stream_.resize(stream.index() + 1);
    cache_of_stream_[stream.index()] = caches_.size() - 1;
    ++cache.parts;
  }
}

void FabricTransfers::end_streams(std::span<const sim::StreamId> streams) {
  for (const sim::StreamId stream : streams) {
    const std::size_t cache = cache_of_stream_[stream.index()];
    if (--caches_[cache].parts == 0) through_.emplace(fluid_.now() + layout_.start, cache);
  }
}

double FabricTransfers::advance(double until, std::vector<CacheTransfer>& arrived) {
  while (true) {
    const double next = through_.empty() ? until : std::min(until, through_.top().first);
    const auto completed = fluid_.advance(next);
    end_streams(completed);
    if (!completed.empty()) continue;
    while (!through_.empty() && through_.top().first <= next) {
      arrived.push_back(caches_[through_.top().second].transfer);
      through_.pop();
    }
    return next;
  }
}

}  // namespace railyard::apps
