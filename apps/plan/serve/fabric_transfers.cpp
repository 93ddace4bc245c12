#include "apps/plan/serve/fabric_transfers.hpp"

#include <utility>

namespace railyard::apps {

using placement::serving::CachePart;
using placement::serving::CacheTransfer;

FabricTransfers::FabricTransfers(const topology::Cluster& cluster,
                                 placement::serving::PoolLayout layout)
    : layout_(std::move(layout)), messages_(cluster, layout_.start) {}

void FabricTransfers::send(double now, const CacheTransfer& transfer) {
  std::vector<sim::MessagePart> parts;
  for (const CachePart& part : cache_parts(layout_, transfer.from, transfer.to))
    parts.push_back({.from = Rank(part.from),
                     .to = Rank(part.to),
                     .bytes = transfer.tokens * part.token_bytes});
  messages_.send(now, parts);
  caches_.push_back(transfer);
}

double FabricTransfers::advance(double until, std::vector<CacheTransfer>& arrived) {
  std::vector<std::size_t> messages;
  const double now = messages_.advance(until, messages);
  for (const std::size_t message : messages) arrived.push_back(caches_[message]);
  return now;
}

}  // namespace railyard::apps
