#include "sim/packet/faults/pause_storm.hpp"

#include "core/diagnostic.hpp"

namespace railyard::sim::packet {

std::vector<PauseStorm> pause_storms(const topology::Cluster& cluster,
                                     const topology::TimedFault& asked) {
  if (!asked.ends())
    throw InputError("", "--storm", "needs the time at which the NIC stops pausing its switch",
                     "for example node0/nic0@1ms..5ms");
  std::vector<PauseStorm> storms;
  for (const LinkId id : asked.faults.failed) {
    const topology::Link& link = cluster.link(id);
    const bool from_switch = topology::is_fabric_switch(cluster.device(link.from).kind);
    const bool to_switch = topology::is_fabric_switch(cluster.device(link.to).kind);
    if (from_switch && !to_switch) storms.push_back({id, asked.at, asked.until});
  }
  if (storms.empty())
    throw InputError("", "--storm", "a NIC causes a storm, and this selects no port of a NIC",
                     "for example node0/nic0@1ms..5ms");
  return storms;
}

}  // namespace railyard::sim::packet
