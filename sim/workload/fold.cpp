#include "sim/workload/fold.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <compare>
#include <limits>
#include <utility>

#include "sim/link_capacity.hpp"

namespace railyard::sim {
namespace {

using collectives::Communications;
using collectives::OperationKind;
using collectives::PhysicalLoads;

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

/// The time in seconds of a load after its latency: alone, and with a share of its rate.
double flowing(const IsolatedTime& time) { return (time.total - time.latency).seconds(); }
double flowing(const IsolatedTime& time, float share) {
  return std::max(time.at_hosts.seconds() / static_cast<double>(share), flowing(time));
}

/// Capacity of each link in B/s. A link in a node can carry at least the rate of any load alone, up
/// to its line rate, because the fitted pace may be faster than NCCL's nominal rate.
std::vector<double> capacities_of(const topology::Cluster& cluster,
                                  std::span<const IsolatedTime> profiles,
                                  const WorkloadOptions& options) {
  std::vector<double> capacities = link_capacities(cluster, options.faults, options.network_share);
  if (!options.pace) return capacities;
  for (const IsolatedTime& time : profiles)
    for (const auto& [link, bytes] : time.bytes) {
      const topology::Link& its = cluster.link(link);
      const double line = its.line_rate.bytes_per_second();
      double& capacity = capacities[link.index()];
      const double rate = flowing(time) > 0 ? bytes / flowing(time) : 0;
      if (capacity > 0 && line > capacity) capacity = std::clamp(rate, capacity, line);
    }
  return capacities;
}

/// The largest rate in B/s that can cross each link at one time. Every stream of every transport
/// has at most one load at a time.
std::vector<double> most_rates(const topology::Cluster& cluster, const Communications& c,
                               std::span<const IsolatedTime> profiles) {
  /// The rate that one stream of a transport can put on a link.
  struct Lane {
    std::uint16_t stream;
    std::uint32_t link;
    double rate;
    auto operator<=>(const Lane&) const = default;
  };
  std::vector<double> most(cluster.link_count(), 0.0);
  std::vector<Lane> lanes;
  const collectives::Workload& w = c.workload();
  for (std::uint32_t t = 0; t < c.transports().size(); ++t) {
    const std::uint32_t rank = c.users(t).front().rank;
    lanes.clear();
    for (const auto& [user, use] : c.users(t)) {
      if (user != rank) continue;
      const collectives::Operation& its = c.uses(w.roles()[w.role_of(rank)].program)[use].operation;
      const IsolatedTime& time = profiles[c.load_of(rank, use)];
      if (flowing(time) <= 0) continue;
      const bool ordered = its.stream != collectives::Operation::kUnordered;
      for (const auto& [link, bytes] : time.bytes)
        lanes.push_back({its.stream, link.value(),
                         ordered ? bytes / flowing(time, its.rate_share) : kUnlimited});
    }
    std::ranges::sort(lanes);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      const bool is_most = i + 1 == lanes.size() || lanes[i].stream != lanes[i + 1].stream ||
                           lanes[i].link != lanes[i + 1].link;
      if (is_most) most[lanes[i].link] += lanes[i].rate;
    }
  }
  return most;
}

std::uint64_t kind_of(const IsolatedTime& time) {
  return static_cast<std::uint64_t>(time.total.picoseconds()) * 0x9e3779b97f4a7c15ULL ^
         static_cast<std::uint64_t>(time.latency.picoseconds()) ^
         std::rotl(static_cast<std::uint64_t>(time.at_hosts.picoseconds()), 32);
}

/// The loads on links that can saturate, which are renumbered by `number`.
PhysicalLoads physical_loads(std::span<const IsolatedTime> profiles,
                             std::span<const std::uint32_t> number,
                             std::span<const double> capacities) {
  PhysicalLoads physical;
  for (const IsolatedTime& time : profiles) {
    physical.kinds.push_back(kind_of(time));
    for (const auto& [link, bytes] : time.bytes)
      if (number[link.index()] != Communications::kNone)
        physical.crossings.push_back(
            {number[link.index()], static_cast<std::uint64_t>(std::llround(bytes * 1e3))});
    physical.ends.push_back(physical.crossings.size());
  }
  for (std::size_t l = 0; l < number.size(); ++l)
    if (number[l] != Communications::kNone)
      physical.link_kinds.push_back(std::bit_cast<std::uint64_t>(capacities[l]));
  return physical;
}

/// The traffic of a class of transports on the first link of each class of links.
FoldedNetwork::Flow flow_of(const FoldedNetwork& folded, const Communications& c,
                            std::span<const IsolatedTime> profiles,
                            std::span<const std::uint32_t> number, std::uint32_t load) {
  const collectives::Load& its = c.loads()[load];
  std::vector<std::pair<std::uint32_t, double>> parts;
  FoldedNetwork::Flow flow;
  for (const auto& [link, bytes] : profiles[load].bytes) flow.bytes = std::max(flow.bytes, bytes);
  const std::uint32_t own = folded.classes.of_transport[its.transport];
  for (const std::uint32_t transport : folded.classes.transports[own])
    for (const auto& [link, bytes] : profiles[c.load(transport, its.shape)].bytes) {
      const std::uint32_t at = number[link.index()];
      if (at == Communications::kNone) continue;
      const std::uint32_t which = folded.classes.of_link[at];
      if (folded.classes.links[which].front() == at) parts.emplace_back(which, bytes);
    }
  std::ranges::stable_sort(parts, {}, &std::pair<std::uint32_t, double>::first);
  for (std::size_t i = 0; i < parts.size();) {
    const std::uint32_t which = parts[i].first;
    double sum = 0;
    for (; i < parts.size() && parts[i].first == which; ++i) sum += parts[i].second;
    flow.hops.push_back({.link = LinkId(which), .share = sum / flow.bytes});
  }
  return flow;
}

}  // namespace

FoldedNetwork fold(const topology::Cluster& cluster, const Communications& c,
                   std::span<const IsolatedTime> profiles, const WorkloadOptions& options) {
  FoldedNetwork folded;
  const std::vector<double> capacities = capacities_of(cluster, profiles, options);
  std::vector<std::uint32_t> number(capacities.size(), Communications::kNone);
  std::uint32_t count = 0;
  if (options.shares_links) {
    const std::vector<double> most = most_rates(cluster, c, profiles);
    for (std::size_t l = 0; l < number.size(); ++l)
      if (most[l] > (options.expand ? 0 : capacities[l] * (1 + 1e-9))) number[l] = count++;
  }
  folded.links = count;
  const PhysicalLoads physical = physical_loads(profiles, number, capacities);
  folded.classes = collectives::rank_classes(c, &physical, options.expand);
  std::vector<double> by_number;
  for (std::size_t l = 0; l < number.size(); ++l)
    if (number[l] != Communications::kNone) by_number.push_back(capacities[l]);
  for (const auto& links : folded.classes.links)
    folded.capacities.push_back(by_number[links.front()]);
  folded.flows.resize(profiles.size());
  for (std::uint32_t i = 0; i < profiles.size(); ++i) {
    const std::uint32_t transport = c.loads()[i].transport;
    const std::uint32_t own = folded.classes.of_transport[transport];
    if (folded.classes.transports[own].front() == transport)
      folded.flows[i] = flow_of(folded, c, profiles, number, i);
  }
  return folded;
}

}  // namespace railyard::sim
