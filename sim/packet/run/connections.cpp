#include "sim/packet/run/connections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/diagnostic.hpp"
#include "sim/packet/faults/fault_times.hpp"
#include "topology/cluster/payload.hpp"
#include "topology/routing/flow_hash.hpp"

namespace railyard::sim::packet {
namespace {

using topology::LinkKind;

bool is_network(LinkKind kind) { return kind == LinkKind::port || kind == LinkKind::fabric; }

}  // namespace

NetworkSpec network_of(const topology::Cluster& cluster, const topology::Faults& faults,
                       Transport transport) {
  NetworkSpec network;
  network.devices = cluster.device_count();
  topology::FabricSpec fabric = cluster.spec().fabric;
  // UEC and NDP have the packet overhead of RoCE v2 in this model: Ethernet, IP, UDP and a
  // transport header.
  fabric.transport =
      transport == Transport::ib ? topology::Transport::infiniband : topology::Transport::roce;
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
  ReductionUnits(cluster).add_to(network);
  for (const auto& [link, factor] : faults.degraded) {
    Bandwidth& rate = network.links[link.index()].rate;
    rate = part_of(rate, factor);
  }
  return network;
}

Connections::Connections(const topology::Cluster& cluster, Engine& engine,
                         const PacketOptions& options)
    : cluster_(cluster),
      units_(cluster),
      paths_(cluster, options),
      engine_(engine),
      router_(packet_router(cluster, options, options.faults)),
      parameters_(options.parameters),
      payload_share_(engine.payload_share()) {
  if (router_.options().policy != options.routing.policy) engine.route_adaptively();
  for (const RateChange& change : rate_changes(cluster, options.faults, options.later_faults))
    engine.change_link(change.link.value(), change.at, change.rate);
  for (const PauseStorm& storm : options.storms)
    engine.add_storm(storm.link.value(), storm.from, storm.until);
  for (const RoutingChange& change :
       routing_changes(cluster, options.faults, options.later_faults, options.convergence))
    epochs_.push_back({change.at, packet_router(cluster, options, change.faults)});
}

std::size_t Connections::KeyHash::operator()(const Key& key) const noexcept {
  const PathEnds& ends = key.ends;
  std::uint64_t hash =
      topology::mix(std::uint64_t{ends.source.value()} << 32 | ends.destination.value());
  hash = topology::mix(hash ^ (std::uint64_t{ends.relay.value()} << 32 | ends.label));
  return static_cast<std::size_t>(
      topology::mix(hash ^ (std::uint64_t{key.traffic_class} << 32 |
                            static_cast<std::uint64_t>(ends.source_nic + 1) << 8 |
                            static_cast<std::uint64_t>(ends.destination_nic + 1))) ^
      (key.is_read ? 1 : 0));
}

std::uint32_t Connections::of(const collectives::Schedule& schedule,
                              const collectives::Transfer& transfer, std::uint32_t label,
                              std::uint32_t traffic_class, bool is_read) {
  const Key key{ends_of(cluster_, schedule, transfer, label), traffic_class, is_read};
  const auto [entry, is_new] = known_.try_emplace(key, static_cast<std::uint32_t>(sets_.size()));
  if (is_new) add_set(key);
  return entry->second;
}

void Connections::add_set(const Key& key) {
  const std::vector<std::vector<LinkId>> paths = paths_.find(router_, key.ends, 1);
  const std::size_t each = paths_of_pair();
  PairSet set;
  std::set<std::uint32_t> ports;
  for (const LinkId link : paths.front()) set.route.push_back({link, 1.0});
  for (std::size_t qp = 0; qp < paths.size() / each; ++qp) {
    std::uint32_t first = 0;
    RouteSpec route;
    for (std::size_t p = 0; p < each; ++p) {
      route = route_of(paths[qp * each + p]);
      const std::uint32_t number = engine_.add_route(route);
      if (p == 0) first = number;
      ports.insert(route.links.front());
      if (route.is_inside) break;  // one path inside a node
    }
    const std::uint32_t back = route.is_inside ? kNone : engine_.add_route(reverse_of(route));
    const std::uint32_t pair = engine_.add_pair(
        first, route.is_inside ? 1 : static_cast<std::uint32_t>(each), back, key.traffic_class);
    if (qp == 0) set.first = pair;
    ++set.count;
    if (qp == 0) time_alone(route, set);
    if (route.is_inside) break;
  }
  set.ports = static_cast<std::uint32_t>(ports.size());
  if (!route_of(paths.front()).is_inside) {
    const std::uint32_t data = set.first;
    if (key.is_read) add_readers(paths, set);
    if (!epochs_.empty()) add_detours(key, paths, set, data);
  }
  sets_.push_back(std::move(set));
}

// The destination sends requests on the reverse route of each queue pair.
void Connections::add_readers(const std::vector<std::vector<LinkId>>& paths, PairSet& set) {
  const std::uint32_t data = set.first;
  for (std::uint32_t qp = 0; qp < set.count; ++qp) {
    const RouteSpec there = reverse_of(route_of(paths[qp * paths_of_pair()]));
    const std::uint32_t request = engine_.add_route(there);
    const std::uint32_t back = engine_.add_route(reverse_of(there));
    const std::uint32_t asking = engine_.add_reader(data + qp, request, back, set.lead);
    if (qp > 0) continue;
    set.first = asking;
    set.fixed += static_cast<double>(parameters_.nic.read_latency.picoseconds());
    for (const std::uint32_t link : there.links)
      set.fixed += static_cast<double>(engine_.links().spec(link).latency.picoseconds());
  }
  set.lead = {};
}

// Adds new routes for each time at which routing changes, if a queue pair then has other routes;
// their number per queue pair stays the same. `data`: the first queue pair that carries data;
// requests of reads use the reverse routes.
void Connections::add_detours(const Key& key, const std::vector<std::vector<LinkId>>& paths,
                              const PairSet& set, std::uint32_t data) {
  const std::size_t each = paths_of_pair();
  const std::size_t connections = set.count / static_cast<std::size_t>(router_.options().qps);
  std::vector<std::vector<LinkId>> before = paths;
  for (Epoch& epoch : epochs_) {
    std::vector<std::vector<LinkId>> now = paths_.find(epoch.router, key.ends, connections);
    for (std::uint32_t qp = 0; qp < set.count; ++qp) {
      const auto begin = now.begin() + static_cast<std::ptrdiff_t>(qp * each);
      if (std::equal(begin, begin + static_cast<std::ptrdiff_t>(each),
                     before.begin() + static_cast<std::ptrdiff_t>(qp * each)))
        continue;
      Engine::Reroute change{.pair = data + qp, .first_route = 0, .back = 0, .at = epoch.from};
      RouteSpec route;
      for (std::size_t p = 0; p < each; ++p) {
        route = route_of(now[qp * each + p]);
        const std::uint32_t number = engine_.add_route(route);
        if (p == 0) change.first_route = number;
      }
      change.back = engine_.add_route(reverse_of(route));
      engine_.reroute(change);
      if (!key.is_read) continue;
      const RouteSpec there = reverse_of(route_of(now[qp * each]));
      engine_.reroute({.pair = set.first + qp,
                       .first_route = engine_.add_route(there),
                       .back = engine_.add_route(reverse_of(there)),
                       .at = epoch.from});
    }
    before = std::move(now);
  }
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
  const LinkId out(route.links.front()), in(route.links.back());
  const DeviceId from = cluster_.link(out).from, to = cluster_.link(in).to;
  const auto unit_of = [&](DeviceId device, std::uint32_t link) {
    if (link == kNone)
      throw InputError("", "--fidelity",
                       fmt::format("{} cannot reduce: no NIC of the cluster supports in-network "
                                   "reduction",
                                   cluster_.name(device)),
                       "give the nets of the node \"in_network_reduction\": true");
    return link;
  };
  const auto is_switch = [&](DeviceId device) {
    return topology::is_fabric_switch(cluster_.device(device).kind);
  };
  if (is_switch(from)) route.links.insert(route.links.begin(), unit_of(from, units_.before(out)));
  if (is_switch(to)) route.links.push_back(unit_of(to, units_.behind(in)));
  return route;
}

RouteSpec Connections::reverse_of(const RouteSpec& route) const {
  RouteSpec back;
  for (auto it = route.links.rbegin(); it != route.links.rend(); ++it)
    back.links.push_back(engine_.links().spec(*it).reverse);
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
  if (!route.is_inside && !links.spec(route.links.back()).is_unit)
    slowest = std::max(slowest, engine_.ingress_per_byte());
  set.fixed = latency;
  set.per_byte = slowest;
}

}  // namespace railyard::sim::packet
