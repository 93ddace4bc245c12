#include "sim/flow/transfer_routes.hpp"

#include <algorithm>
#include <cstddef>

#include "topology/cluster/add_faults.hpp"

namespace railyard::sim {
namespace {

using topology::Hop;

/// Merges hops over the same link, from index `unjoined` on, into the first of them. Paths are
/// short, so a linear search is enough.
void join_repeated_links(std::vector<Hop>& hops, std::size_t begin, std::size_t unjoined) {
  std::size_t kept = unjoined;
  for (std::size_t i = unjoined; i < hops.size(); ++i) {
    const auto first = hops.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto end = hops.begin() + static_cast<std::ptrdiff_t>(kept);
    const auto same =
        std::find_if(first, end, [&](const Hop& hop) { return hop.link == hops[i].link; });
    if (same != end)
      same->share += hops[i].share;
    else
      hops[kept++] = hops[i];
  }
  hops.resize(kept);
}

}  // namespace

TransferRoutes::TransferRoutes(const topology::Cluster& cluster, topology::RoutingOptions options,
                               topology::Faults faults)
    : cluster_(cluster), nics_(cluster) {
  routers_.push_back(std::make_unique<topology::Router>(cluster, options, std::move(faults)));
}

bool TransferRoutes::is_even() const {
  const auto policy = router().options().policy;
  return policy == topology::RoutingPolicy::rail || policy == topology::RoutingPolicy::spray;
}

std::size_t TransferRoutes::KeyHash::operator()(const Key& key) const noexcept {
  std::uint64_t hash = key.source.value();
  const auto mix = [&hash](std::uint64_t value) {
    // The multiplier of splitmix64 (Steele, Lea, Flood: Fast Splittable PRNGs, 2014).
    hash = (hash ^ value) * 0xbf58476d1ce4e5b9u;
    hash ^= hash >> 31;
  };
  mix(key.destination.value());
  mix(key.label);
  mix(static_cast<std::uint64_t>(key.source_nic + 1) << 32 |
      static_cast<std::uint64_t>(key.destination_nic + 1));
  return static_cast<std::size_t>(hash);
}

void TransferRoutes::append_connection(const topology::Connection& connection,
                                       std::vector<Hop>& hops) {
  const std::vector<topology::Connection> ways = nics_.connections(connection, faults().failed);
  if (ways.size() == 1) return append_by_one_nic(ways.front(), hops);
  const std::size_t begin = hops.size();
  for (const topology::Connection& way : ways) {
    const std::size_t first = hops.size();
    append_by_one_nic(way, hops);
    for (std::size_t i = first; i < hops.size(); ++i)
      hops[i].share /= static_cast<double>(ways.size());
    join_repeated_links(hops, begin, first);
  }
}

void TransferRoutes::append_by_one_nic(const topology::Connection& connection,
                                       std::vector<Hop>& hops) {
  if (is_stateless()) {
    router().route(connection, hops);
    return;
  }
  const Key key{connection.source, connection.destination, connection.label, connection.source_nic,
                connection.destination_nic};
  const auto [entry, is_new] = known_.try_emplace(key);
  if (is_new) router().route(connection, entry->second);
  hops.insert(hops.end(), entry->second.begin(), entry->second.end());
}

void TransferRoutes::append(const collectives::Schedule& schedule,
                            const collectives::Transfer& transfer, std::uint32_t label,
                            std::vector<Hop>& hops) {
  const auto source = schedule.device(cluster_, transfer.source);
  const auto destination = schedule.device(cluster_, transfer.destination);
  if (transfer.relay == collectives::kNoParticipant || transfer.relay == transfer.source) {
    append_connection({source, destination, label, transfer.source_nic, transfer.destination_nic},
                      hops);
    return;
  }
  const std::size_t begin = hops.size();
  const auto relay = schedule.device(cluster_, transfer.relay);
  append_connection({.source = source, .destination = relay, .label = label}, hops);
  const std::size_t second_leg = hops.size();
  append_connection({relay, destination, label, transfer.source_nic, transfer.destination_nic},
                    hops);
  join_repeated_links(hops, begin, second_leg);
}

void TransferRoutes::add_faults(const topology::Faults& faults) {
  if (keeps_ && ++level_ < routers_.size()) return;
  auto all = routers_.back()->faults();
  topology::add_faults(all, faults);
  const auto options = routers_.back()->options();
  if (!keeps_) routers_.clear();
  routers_.push_back(std::make_unique<topology::Router>(cluster_, options, std::move(all)));
  std::erase_if(known_, [&](const auto& entry) {
    return std::any_of(entry.second.begin(), entry.second.end(), [&](const Hop& hop) {
      return std::find(faults.failed.begin(), faults.failed.end(), hop.link) != faults.failed.end();
    });
  });
}

}  // namespace railyard::sim
