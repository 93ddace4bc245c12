#include "sim/workload/load_profiles.hpp"

#include <algorithm>

#include "collectives/schedule/finite_time.hpp"
#include "collectives/workload/load_schedules.hpp"
#include "sim/link_capacity.hpp"

namespace railyard::sim {
namespace {

using collectives::Communications;

/// Gives a load the time that the software takes for it.
void apply(const collectives::Pace& pace, const topology::Cluster& cluster,
           std::span<const double> capacities, AloneTime& time) {
  double slowest = pace.bytes.seconds(), at_hosts = slowest;
  for (const auto& [link, bytes] : time.bytes) {
    const topology::Link& its = cluster.link(link);
    const double line = its.line_rate.bytes_per_second() / its.bandwidth.bytes_per_second();
    const double capacity = capacities[link.index()] * std::max(1.0, line);
    slowest = std::max(slowest, bytes / capacity);
    if (its.kind != topology::LinkKind::fabric) at_hosts = std::max(at_hosts, bytes / capacity);
  }
  time.latency = pace.launch + pace.latency;
  time.total = time.latency + collectives::finite_time(slowest);
  time.at_hosts = collectives::finite_time(at_hosts);
}

}  // namespace

Time time_with_share(const AloneTime& load, float share) {
  if (share >= 1) return load.total;
  const auto over = [&](Time time) {
    return Time::from_seconds(time.seconds() / static_cast<double>(share));
  };
  return over(load.latency) + std::max(over(load.at_hosts), load.total - load.latency);
}

std::vector<AloneTime> load_profiles(const topology::Cluster& cluster, const Communications& loads,
                                     std::span<const Rank> gpus, const WorkloadOptions& options) {
  const auto chosen = collectives::load_schedules(loads, cluster, gpus, options.schedule);
  std::vector<AnalyticNetwork::Connected> connected;
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i] == nullptr) continue;
    connected.push_back({chosen[i].get(), loads.loads()[i].transport});
    which.push_back(i);
  }
  const AnalyticNetwork network(cluster, {.routing = options.routing, .faults = options.faults});
  std::vector<AloneTime> all(chosen.size()), found = network.alone(connected);
  const std::vector<double> capacities =
      link_capacities(cluster, options.faults, options.network_share);
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (options.pace)
      if (const auto pace = options.pace(*chosen[which[k]]))
        apply(*pace, cluster, capacities, found[k]);
    all[which[k]] = std::move(found[k]);
  }
  return all;
}

}  // namespace railyard::sim
