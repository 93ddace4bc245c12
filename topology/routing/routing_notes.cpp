#include "topology/routing/routing_notes.hpp"

#include "topology/fabric/port_count.hpp"

namespace railyard::topology {

std::string_view why_seed_is_unused(RoutingPolicy policy) {
  if (policy == RoutingPolicy::rail) return "--routing rail chooses paths by destination";
  if (policy == RoutingPolicy::spray) return "--routing spray uses all paths evenly";
  return {};
}

std::vector<std::string> routing_notes(const Cluster& cluster, const RoutingOptions& routing) {
  std::vector<std::string> notes;
  const FabricSpec& fabric = cluster.spec().fabric;
  const bool crosses_planes = fabric.kind == FabricKind::dual_plane && cluster.node_count() > 1;
  if (crosses_planes && routing.qps == 1 && routing.policy != RoutingPolicy::spray)
    notes.emplace_back(
        "a connection with one queue pair uses only one of the two planes, half of the NIC's rate; "
        "--qps 2 uses both");
  if (!fabric.models[0]) return notes;
  for (const PortFinding& found : check_ports(cluster)) {
    if (found.problem == PortProblem::beyond_radix)
      notes.push_back("this fabric cannot be built: " + found.message);
  }
  return notes;
}

}  // namespace railyard::topology
