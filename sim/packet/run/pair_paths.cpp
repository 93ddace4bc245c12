#include "sim/packet/run/pair_paths.hpp"

namespace railyard::sim::packet {

using topology::RoutingPolicy;

PathEnds ends_of(const topology::Cluster& cluster, const collectives::Schedule& schedule,
                 const collectives::Transfer& transfer, std::uint32_t label) {
  const bool has_relay =
      transfer.relay != collectives::kNoParticipant && transfer.relay != transfer.source;
  return {.source = schedule.device(cluster, transfer.source),
          .relay = has_relay ? schedule.device(cluster, transfer.relay) : DeviceId(),
          .destination = schedule.device(cluster, transfer.destination),
          .label = label,
          .source_nic = transfer.source_nic,
          .destination_nic = transfer.destination_nic};
}

// InfiniBand switches choose a link for each packet, among the paths that `spray` would use.
topology::Router packet_router(const topology::Cluster& cluster, const PacketOptions& options,
                               const topology::Faults& faults) {
  topology::RoutingOptions routing = options.routing;
  if (options.parameters.transport == Transport::ib && routing.policy == RoutingPolicy::adaptive)
    routing.policy = RoutingPolicy::spray;
  return {cluster, routing, faults};
}

std::vector<std::vector<LinkId>> PairPaths::find(topology::Router& router, const PathEnds& ends,
                                                 std::size_t least) const {
  const int each = router.options().qps * static_cast<int>(per_pair(router));
  std::vector<std::vector<LinkId>> before, paths;
  const bool has_relay = !ends.relay.is_none();
  if (has_relay) router.paths({ends.source, ends.relay, ends.label}, 1, before);
  const topology::Connection whole{has_relay ? ends.relay : ends.source, ends.destination,
                                   ends.label, ends.source_nic, ends.destination_nic};
  for (const topology::Connection& one : nics_.connections(whole, router.faults().failed, least))
    router.paths(one, each, paths);
  if (has_relay)
    for (std::vector<LinkId>& path : paths)
      path.insert(path.begin(), before.front().begin(), before.front().end());
  return paths;
}

std::size_t PairPaths::per_pair(const topology::Router& router) const {
  const bool sprays = router.options().policy == RoutingPolicy::spray;
  return sprays ? static_cast<std::size_t>(nic_.paths) : 1;
}

}  // namespace railyard::sim::packet
