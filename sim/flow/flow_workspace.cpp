#include "sim/flow/flow_workspace.hpp"

#include <algorithm>

#include "sim/link_capacity.hpp"
#include "topology/cluster/add_faults.hpp"

namespace railyard::sim {

FlowWorkspace::FlowWorkspace(const topology::Cluster& of_cluster, const FlowOptions& options)
    : cluster(of_cluster),
      network_share(options.network_share),
      routes(of_cluster, options.routing, initial_faults(options)),
      capacities(link_capacities(of_cluster, initial_faults(options), options.network_share)),
      sums(of_cluster.link_count()) {
  if (later_faults(options).size() <= kMostFaults) routes.keep_routers();
}

topology::Faults initial_faults(const FlowOptions& options) {
  topology::Faults all;
  for (const auto& [at, faults, until] : options.faults) {
    if (at <= Time()) topology::add_faults(all, faults);
  }
  return all;
}

std::vector<topology::TimedFault> later_faults(const FlowOptions& options) {
  std::vector<topology::TimedFault> later;
  for (const auto& fault : options.faults)
    if (fault.at > Time()) later.push_back(fault);
  std::stable_sort(later.begin(), later.end(),
                   [](const auto& a, const auto& b) { return a.at < b.at; });
  return later;
}

}  // namespace railyard::sim
