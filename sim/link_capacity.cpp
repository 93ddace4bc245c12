#include "sim/link_capacity.hpp"

namespace railyard::sim {

std::vector<double> link_capacities(const topology::Cluster& cluster, const topology::Faults& faults) {
  std::vector<double> capacities;
  capacities.reserve(cluster.link_count());
  for (const auto& link : cluster.links()) capacities.push_back(link.bandwidth.bytes_per_second());
  for (const auto& [link, factor] : faults.degraded)
    capacities[link.index()] = factor * cluster.link(link).bandwidth.bytes_per_second();
  for (const LinkId link : faults.failed) capacities[link.index()] = 0;
  return capacities;
}

collectives::LinkLoad link_load(const topology::Cluster& cluster, LinkId link, double bytes) {
  return {link, bytes, Time::from_seconds(bytes / cluster.link(link).bandwidth.bytes_per_second())};
}

}  // namespace railyard::sim
