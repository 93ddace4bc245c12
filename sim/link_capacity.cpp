#include "sim/link_capacity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

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

collectives::LinkLoad link_load(LinkId link, double bytes, Bandwidth rate) {
  return {link, bytes, Time::from_seconds(bytes / rate.bytes_per_second())};
}

std::string overloaded_link(const topology::Cluster& cluster, const collectives::Run& run) {
  if (run.tasks.empty()) return {};
  Time first = run.tasks.front().start, last = run.tasks.front().finish;
  for (const collectives::TaskResult& task : run.tasks) {
    first = std::min(first, task.start);
    last = std::max(last, task.finish);
  }
  const double seconds = (last - first).seconds();
  for (const collectives::LinkLoad& load : run.link_loads) {
    const double rate = cluster.link(load.link).line_rate.bytes_per_second();
    const double needed = std::max(load.busy.seconds(), load.bytes / rate);
    // Rates and times are rounded, so a difference of a byte or a picosecond is allowed.
    if (needed > seconds * (1 + 1e-6) + 1e-9)
      return fmt::format("{} is busy {:.6g} times as long as the run", cluster.name(load.link),
                         needed / seconds);
  }
  return {};
}

void check_link_loads([[maybe_unused]] const topology::Cluster& cluster,
                      [[maybe_unused]] const collectives::Run& run) {
#ifndef NDEBUG
  const std::string found = overloaded_link(cluster, run);
  if (!found.empty()) throw std::logic_error(found);
#endif
}

}  // namespace railyard::sim
