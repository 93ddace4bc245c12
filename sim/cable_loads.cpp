#include "sim/cable_loads.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "topology/picture/fabric_layout.hpp"

namespace railyard::sim {

std::vector<CableLoad> cable_loads(const topology::Cluster& cluster,
                                   const std::vector<collectives::LinkLoad>& loads, Time span) {
  using topology::LinkKind;
  const topology::picture::FabricLayout drawn =
      topology::picture::lay_out_fabric(cluster, topology::picture::outline_fabric(cluster, {}));
  std::map<std::pair<DeviceId, DeviceId>, CableLoad> cables;
  const auto is_drawn = [&](const topology::Link& link) {
    const bool is_cable = link.kind == LinkKind::port || link.kind == LinkKind::fabric;
    return is_cable && drawn.devices.contains(link.from) && drawn.devices.contains(link.to);
  };
  for (const auto& [device, box] : drawn.devices) {  // idle ones are listed too
    for (const LinkId id : cluster.out_links(device)) {
      const topology::Link& link = cluster.link(id);
      const bool is_up = topology::tier(cluster.device(link.from).kind) <
                         topology::tier(cluster.device(link.to).kind);
      if (is_up && is_drawn(link)) cables[{link.from, link.to}];
    }
  }
  for (const collectives::LinkLoad& load : loads) {
    const topology::Link& link = cluster.link(load.link);
    if (!is_drawn(link)) continue;
    const bool is_up = topology::tier(cluster.device(link.from).kind) <=
                       topology::tier(cluster.device(link.to).kind);
    const auto ends = is_up ? std::pair(link.from, link.to) : std::pair(link.to, link.from);
    CableLoad& cable = cables[ends];
    double& utilisation = is_up ? cable.up : cable.down;
    if (span > Time()) utilisation = std::max(utilisation, load.busy.seconds() / span.seconds());
  }
  std::vector<CableLoad> all;
  for (auto& [ends, cable] : cables) {
    cable.cable = cluster.name(ends.first) + " -- " + cluster.name(ends.second);
    all.push_back(std::move(cable));
  }
  return all;
}

}  // namespace railyard::sim
