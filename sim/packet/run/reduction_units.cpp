#include "sim/packet/run/reduction_units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "topology/node/nets.hpp"

namespace railyard::sim::packet {

ReductionUnits::ReductionUnits(const topology::Cluster& cluster) : cluster_(cluster) {
  const auto takes_part = [](const topology::NetSpec* net) { return net->in_network_reduction; };
  const auto reduces = [&](const auto& shape) {
    return std::ranges::any_of(topology::nets_of(shape->spec()), takes_part);
  };
  if (std::ranges::none_of(cluster.shapes(), reduces)) return;
  auto next = static_cast<std::uint32_t>(cluster.links().size());
  links_.resize(next, kNone);
  for (std::uint32_t i = 0; i < links_.size(); ++i) {
    if (!topology::is_fabric_switch(cluster.device(cluster.link(LinkId(i)).from).kind)) continue;
    ports_.emplace_back(i);
    links_[i] = next;
    next += 2;
  }
}

void ReductionUnits::add_to(NetworkSpec& network) const {
  std::unordered_map<std::uint32_t, std::uint32_t> units;  // by switch
  for (const LinkId port : ports_) {
    const LinkSpec out = network.links[port.index()];
    const auto [unit, is_new] =
        units.try_emplace(out.from, static_cast<std::uint32_t>(network.devices));
    if (is_new) ++network.devices;
    const auto link = static_cast<std::uint32_t>(network.links.size());
    network.links.push_back({.from = unit->second,
                             .to = out.from,
                             .rate = out.rate,
                             .latency = {},
                             .reverse = link + 1,
                             .is_sender = true,
                             .is_last = false});
    network.links.push_back({.from = out.from,
                             .to = unit->second,
                             .rate = out.rate,
                             .latency = {},
                             .reverse = link,
                             .is_sender = false,
                             .is_last = true,
                             .is_unit = true});
  }
}

std::uint32_t ReductionUnits::before(LinkId out) const {
  return links_.empty() ? kNone : links_[out.index()];
}

std::uint32_t ReductionUnits::behind(LinkId in) const {
  return links_.empty() ? kNone : links_[cluster_.link(in).reverse.index()] + 1;
}

std::string ReductionUnits::name(std::uint32_t link) const {
  const std::size_t port = (link - links_.size()) / 2;
  return fmt::format("reduction unit of {}", cluster_.name(cluster_.link(ports_[port]).from));
}

}  // namespace railyard::sim::packet
