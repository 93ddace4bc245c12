#include "sim/packet/connections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/diagnostic.hpp"
#include "topology/cluster/payload.hpp"
#include "topology/routing/flow_hash.hpp"

namespace railyard::sim::packet {
namespace {

using topology::LinkKind;

bool is_network(LinkKind kind) { return kind == LinkKind::port || kind == LinkKind::fabric; }

}  // namespace

NetworkSpec network_of(const topology::Cluster& cluster, const topology::Faults& faults) {
  NetworkSpec network;
  network.devices = cluster.device_count();
  topology::FabricSpec fabric = cluster.spec().fabric;
  fabric.transport = topology::Transport::roce;
  network.mtu = Bytes(fabric.mtu);
  network.overhead = topology::packet_overhead(fabric);
  for (const topology::Link& link : cluster.links()) {
    network.links.push_back(
        {.from = link.from.value(),
         .to = link.to.value(),
         .rate = link.bandwidth,
         .latency = link.latency,
         .reverse = link.reverse.value(),
         .is_sender = !topology::is_fabric_switch(cluster.device(link.from).kind),
         .is_last = !topology::is_fabric_switch(cluster.device(link.to).kind)});
  }
  for (const auto& [link, factor] : faults.degraded) {
    Bandwidth& rate = network.links[link.index()].rate;
    rate = Bandwidth::bits_per_second(
        static_cast<std::int64_t>(factor * static_cast<double>(rate.bits_per_second())));
  }
  return network;
}

Connections::Connections(const topology::Cluster& cluster, Engine& engine,
                         const topology::RoutingOptions& routing, topology::Faults faults,
                         const Parameters& parameters)
    : cluster_(cluster),
      engine_(engine),
      router_(cluster, routing, std::move(faults)),
      parameters_(parameters),
      payload_share_(engine.payload_share()) {}

std::size_t Connections::KeyHash::operator()(const Key& key) const noexcept {
  std::uint64_t hash =
      topology::mix(std::uint64_t{key.source.value()} << 32 | key.destination.value());
  hash = topology::mix(hash ^ (std::uint64_t{key.relay.value()} << 32 | key.label));
  return static_cast<std::size_t>(
      topology::mix(hash ^ (static_cast<std::uint64_t>(key.source_nic + 1) << 8 |
                            static_cast<std::uint64_t>(key.destination_nic + 1))));
}

std::uint32_t Connections::of(const collectives::Schedule& schedule,
                              const collectives::Transfer& transfer, std::uint32_t label) {
  const bool has_relay =
      transfer.relay != collectives::kNoParticipant && transfer.relay != transfer.source;
  const Key key{schedule.device(cluster_, transfer.source),
                has_relay ? schedule.device(cluster_, transfer.relay) : DeviceId(),
                schedule.device(cluster_, transfer.destination),
                label,
                transfer.source_nic,
                transfer.destination_nic};
  const auto [entry, is_new] = known_.try_emplace(key, static_cast<std::uint32_t>(sets_.size()));
  if (is_new) add_set(key);
  return entry->second;
}

void Connections::add_set(const Key& key) {
  const topology::RoutingOptions& routing = router_.options();
  const bool sprays = routing.policy == topology::RoutingPolicy::spray;
  const int each = sprays ? parameters_.nic.paths : 1;
  std::vector<std::vector<LinkId>> before, paths;
  const bool has_relay = !key.relay.is_none();
  if (has_relay) router_.paths({key.source, key.relay, key.label}, 1, before);
  router_.paths({has_relay ? key.relay : key.source, key.destination, key.label, key.source_nic,
                 key.destination_nic},
                routing.qps * each, paths);
  PairSet set;
  for (int qp = 0; qp < routing.qps; ++qp) {
    std::uint32_t first = 0;
    RouteSpec route;
    for (int p = 0; p < each; ++p) {
      std::vector<LinkId>& path = paths[static_cast<std::size_t>(qp * each + p)];
      if (has_relay) path.insert(path.begin(), before.front().begin(), before.front().end());
      if (qp == 0 && p == 0)
        for (const LinkId link : path) set.route.push_back({link, 1.0});
      route = route_of(path);
      const std::uint32_t number = engine_.add_route(route);
      if (p == 0) first = number;
      if (route.is_inside) break;  // one path inside a node
    }
    const std::uint32_t back = route.is_inside ? kNone : engine_.add_route(reverse_of(route));
    const std::uint32_t pair =
        engine_.add_pair(first, route.is_inside ? 1 : static_cast<std::uint32_t>(each), back);
    if (qp == 0) set.first = pair;
    ++set.count;
    if (qp == 0) time_alone(route, set);
    if (route.is_inside) break;
  }
  sets_.push_back(std::move(set));
}

RouteSpec Connections::route_of(const std::vector<LinkId>& path) const {
  RouteSpec route;
  const auto kind = [&](LinkId link) { return cluster_.link(link).kind; };
  const auto first =
      std::find_if(path.begin(), path.end(), [&](LinkId l) { return is_network(kind(l)); });
  if (first == path.end()) {
    route.is_inside = true;
    route.links = {path.front().value()};
    for (std::size_t i = 1; i < path.size(); ++i) route.behind.push_back(path[i].value());
    return route;
  }
  for (const LinkId link : path) {
    if (is_network(kind(link)))
      route.links.push_back(link.value());
    else
      (route.links.empty() ? route.before : route.behind).push_back(link.value());
  }
  const topology::Link& out = cluster_.link(LinkId(route.links.front()));
  const topology::Link& in = cluster_.link(LinkId(route.links.back()));
  const bool from_switch = topology::is_fabric_switch(cluster_.device(out.from).kind);
  if (!from_switch && !topology::is_fabric_switch(cluster_.device(in.to).kind)) return route;
  throw InputError("", "--fidelity",
                   fmt::format("packet simulation does not support reduction in {}",
                               cluster_.name(from_switch ? out.from : in.to)),
                   "use --algorithm ring or tree, or --fidelity flow");
}

RouteSpec Connections::reverse_of(const RouteSpec& route) const {
  RouteSpec back;
  for (auto it = route.links.rbegin(); it != route.links.rend(); ++it)
    back.links.push_back(cluster_.link(LinkId(*it)).reverse.value());
  return back;
}

void Connections::time_alone(const RouteSpec& route, PairSet& set) const {
  const Links& links = engine_.links();
  double latency = 0, slowest = 0;
  const auto add = [&](std::uint32_t number, bool has_headers) {
    const LinkSpec& link = links.spec(number);
    latency += static_cast<double>(link.latency.picoseconds());
    const double per_byte = 8e12 / static_cast<double>(link.rate.bits_per_second()) /
                            (has_headers ? payload_share_ : 1.0);
    slowest = std::max(slowest, per_byte);
  };
  for (const std::uint32_t link : route.before) {
    add(link, false);
    set.lead += links.spec(link).latency;
  }
  for (const std::uint32_t link : route.links) add(link, !route.is_inside);
  for (const std::uint32_t link : route.behind) add(link, false);
  set.fixed = latency;
  set.per_byte = slowest;
}

}  // namespace railyard::sim::packet
