#include "sim/flow/streams.hpp"

#include <algorithm>
#include <cassert>

namespace railyard::sim {

RoutedBody route_body(const collectives::Schedule& schedule, std::size_t channel,
                      const Stage& stage, std::uint32_t label, TransferRoutes& routes) {
  RoutedBody routed{.body = loop_body(schedule, channel, stage), .hops = {}, .hop_end = {}};
  routed.hop_end.reserve(routed.body.transfers.size());
  for (const auto& one : routed.body.transfers) {
    routes.append(schedule, one.transfer, label, routed.hops);
    routed.hop_end.push_back(routed.hops.size());
  }
  return routed;
}

void LinkSums::clear() {
  for (const LinkId link : touched_) sums_[link.index()] = 0.0;
  touched_.clear();
}

SteadyStream steady_stream(const RoutedBody& routed, const topology::Cluster& cluster,
                           const WireFactors& wire, LinkSums& sums) {
  assert(sums.links().empty());
  SteadyStream stream;
  const auto& transfers = routed.body.transfers;
  for (const auto& one : transfers) stream.bytes = std::max(stream.bytes, one.bytes);
  if (stream.bytes == 0) return stream;
  for (std::size_t i = 0; i < transfers.size(); ++i)
    for (const auto& hop : routed.route(i))
      if (transfers[i].bytes > 0) sums.add(hop.link, hop.share * transfers[i].bytes);
  stream.hops.reserve(sums.links().size());
  for (const LinkId link : sums.links())
    stream.hops.push_back({link, sums[link] / stream.bytes * wire.of(cluster.link(link).kind)});
  sums.clear();
  return stream;
}

void weigh(std::span<topology::Hop> hops, const topology::Cluster& cluster,
           const WireFactors& wire) {
  for (auto& hop : hops) hop.share *= wire.of(cluster.link(hop.link).kind);
}

}  // namespace railyard::sim
