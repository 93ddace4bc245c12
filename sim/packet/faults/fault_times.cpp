#include "sim/packet/faults/fault_times.hpp"

#include <algorithm>
#include <map>

#include "topology/cluster/add_faults.hpp"

namespace railyard::sim::packet {
namespace {

using topology::Faults;
using topology::TimedFault;

/// A fault from the point of view of one link.
struct Outage {
  Time from, until;
  Bandwidth rate;
};

bool is_nic_port(const topology::Cluster& cluster, LinkId link) {
  const auto is_switch = [&](DeviceId device) {
    return topology::is_fabric_switch(cluster.device(device).kind);
  };
  return !is_switch(cluster.link(link).from) || !is_switch(cluster.link(link).to);
}

void sort_and_merge(std::vector<Time>& times) {
  std::ranges::sort(times);
  times.erase(std::unique(times.begin(), times.end()), times.end());
}

/// The part of a fault that routing avoids between two times, or with `convergence` from the start
/// of the fault on.
Faults seen_by_routing(const topology::Cluster& cluster, const TimedFault& fault) {
  Faults seen = fault.faults;
  if (fault.ends())
    std::erase_if(seen.failed, [&](LinkId link) { return is_nic_port(cluster, link); });
  return seen;
}

}  // namespace

Bandwidth part_of(Bandwidth rate, double factor) {
  return Bandwidth::bits_per_second(
      static_cast<std::int64_t>(factor * static_cast<double>(rate.bits_per_second())));
}

std::vector<RateChange> rate_changes(const topology::Cluster& cluster, const Faults& from_start,
                                     std::span<const TimedFault> later) {
  std::map<LinkId, std::vector<Outage>> outages;
  for (const TimedFault& fault : later) {
    for (const LinkId link : fault.faults.failed)
      outages[link].push_back({fault.at, fault.until, Bandwidth()});
    for (const auto& [link, factor] : fault.faults.degraded)
      outages[link].push_back(
          {fault.at, fault.until, part_of(cluster.link(link).bandwidth, factor)});
  }
  std::vector<RateChange> changes;
  for (const auto& [link, all] : outages) {
    Bandwidth whole = cluster.link(link).bandwidth;
    for (const auto& [slow, factor] : from_start.degraded)
      if (slow == link) whole = part_of(whole, factor);
    std::vector<Time> times;
    for (const Outage& outage : all) {
      times.push_back(outage.from);
      if (outage.until != Time::never()) times.push_back(outage.until);
    }
    sort_and_merge(times);
    Bandwidth before = whole;
    for (const Time at : times) {
      Bandwidth rate = whole;
      for (const Outage& outage : all)
        if (outage.from <= at && at < outage.until) rate = std::min(rate, outage.rate);
      if (rate != before) changes.push_back({link, at, rate});
      before = rate;
    }
  }
  return changes;
}

std::vector<RoutingChange> routing_changes(const topology::Cluster& cluster,
                                           const Faults& from_start,
                                           std::span<const TimedFault> later, Time convergence) {
  std::vector<Time> times;
  const auto is_seen = [&](const TimedFault& fault) {
    const bool lasts = !fault.ends() || fault.until - fault.at >= convergence;
    return lasts && !seen_by_routing(cluster, fault).failed.empty();
  };
  for (const TimedFault& fault : later) {
    if (!is_seen(fault)) continue;
    times.push_back(fault.at + convergence);
    if (fault.ends()) times.push_back(fault.until + convergence);
  }
  sort_and_merge(times);
  std::vector<RoutingChange> changes;
  for (const Time at : times) {
    RoutingChange& change = changes.emplace_back(RoutingChange{at, from_start});
    for (const TimedFault& fault : later) {
      const bool holds =
          fault.at + convergence <= at && (!fault.ends() || at < fault.until + convergence);
      if (holds && is_seen(fault))
        topology::add_faults(change.faults, seen_by_routing(cluster, fault));
    }
  }
  return changes;
}

}  // namespace railyard::sim::packet
