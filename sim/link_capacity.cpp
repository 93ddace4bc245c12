#include "sim/link_capacity.hpp"

namespace railyard::sim {

double link_capacity(const topology::Cluster& cluster, LinkId link, double network_share) {
  const topology::Link& of = cluster.link(link);
  const bool is_network =
      of.kind == topology::LinkKind::port || of.kind == topology::LinkKind::fabric;
  return of.bandwidth.bytes_per_second() * (is_network ? network_share : 1.0);
}

std::vector<double> link_capacities(const topology::Cluster& cluster,
                                    const topology::Faults& faults, double network_share) {
  std::vector<double> capacities;
  capacities.reserve(cluster.link_count());
  for (std::size_t i = 0; i < cluster.link_count(); ++i)
    capacities.push_back(link_capacity(cluster, LinkId(i), network_share));
  for (const auto& [link, factor] : faults.degraded)
    capacities[link.index()] = factor * link_capacity(cluster, link, network_share);
  for (const LinkId link : faults.failed) capacities[link.index()] = 0;
  return capacities;
}

collectives::LinkLoad link_load(const topology::Cluster& cluster, LinkId link, double bytes) {
  return {link, bytes, Time::from_seconds(bytes / cluster.link(link).bandwidth.bytes_per_second())};
}

}  // namespace railyard::sim
