#include "sim/flow/transfer_routes.hpp"

#include <algorithm>
#include <cstddef>

#include "topology/cluster/add_faults.hpp"

namespace railyard::sim {
namespace {

using topology::Hop;

/// Adds later hops of the same link to the first one, from `unjoined` on. Ways are short.
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

/// The NICs of a shape that are used together, by NIC; empty where none are.
std::vector<std::vector<int>> nics_together(const topology::NodeShape& shape) {
  std::vector<std::vector<int>> together(static_cast<std::size_t>(shape.nic_count()));
  bool any = false;
  for (int gpu = 0; gpu < shape.gpu_count(); ++gpu) {
    const std::span<const int> nics = shape.nics_of_gpu(gpu);
    if (nics.size() < 2) continue;
    std::vector<int> sorted(nics.begin(), nics.end());
    std::ranges::sort(sorted);
    together[static_cast<std::size_t>(nics.front())] = std::move(sorted);
    any = true;
  }
  if (!any) together.clear();
  return together;
}

}  // namespace

TransferRoutes::TransferRoutes(const topology::Cluster& cluster, topology::RoutingOptions options,
                               topology::Faults faults)
    : cluster_(cluster) {
  for (const auto& shape : cluster.shapes()) together_.push_back(nics_together(*shape));
  if (std::ranges::all_of(together_, [](const auto& nics) { return nics.empty(); }))
    together_.clear();
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

std::span<const int> TransferRoutes::nics_beside(DeviceId id, int nic) const {
  const topology::Device& device = cluster_.device(id);
  if (device.node.is_none() || device.kind == topology::DeviceKind::nic) return {};
  const auto& together = together_[cluster_.node(device.node).shape];
  if (together.empty()) return {};
  if (nic < 0 && device.kind == topology::DeviceKind::gpu)
    nic = cluster_.shape(device.node).nearest_nic(static_cast<int>(device.index));
  return nic < 0 ? std::span<const int>() : together[static_cast<std::size_t>(nic)];
}

std::vector<int> TransferRoutes::working(NodeId node, std::span<const int> nics) const {
  std::vector<int> found(nics.begin(), nics.end());
  const auto& failed = faults().failed;
  if (failed.empty()) return found;
  std::erase_if(found, [&](int nic) {
    return std::ranges::all_of(cluster_.out_links(cluster_.nic(node, nic)), [&](LinkId link) {
      return cluster_.link(link).kind != topology::LinkKind::port ||
             std::ranges::find(failed, link) != failed.end();
    });
  });
  return found.empty() ? std::vector<int>(nics.begin(), nics.end()) : found;
}

void TransferRoutes::append_connection(const topology::Connection& connection,
                                       std::vector<Hop>& hops) {
  const NodeId here = cluster_.device(connection.source).node;
  const bool stays = !here.is_none() && here == cluster_.device(connection.destination).node;
  if (together_.empty() || stays) return append_by_one_nic(connection, hops);
  const auto from = working(here, nics_beside(connection.source, connection.source_nic));
  const auto to = working(cluster_.device(connection.destination).node,
                          nics_beside(connection.destination, connection.destination_nic));
  const std::size_t ways = std::max({from.size(), to.size(), std::size_t{1}});
  if (from.size() < 2 && to.size() < 2) {
    topology::Connection one = connection;
    if (!from.empty()) one.source_nic = from.front();
    if (!to.empty()) one.destination_nic = to.front();
    return append_by_one_nic(one, hops);
  }
  const std::size_t begin = hops.size();
  for (std::size_t way = 0; way < ways; ++way) {
    const std::size_t first = hops.size();
    topology::Connection one = connection;
    if (!from.empty()) one.source_nic = from[way % from.size()];
    if (!to.empty()) one.destination_nic = to[way % to.size()];
    append_by_one_nic(one, hops);
    for (std::size_t i = first; i < hops.size(); ++i) hops[i].share /= static_cast<double>(ways);
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
