#include "sim/workload/link_usage.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "sim/link_capacity.hpp"
#include "sim/link_report.hpp"
#include "sim/workload/load_profiles.hpp"

namespace railyard::sim {
namespace {

using collectives::LinkLoad;
using collectives::Operation;
using collectives::OperationKind;
using collectives::OperationRun;
using collectives::Program;
using collectives::RankClassRun;

/// Capacity of each link in B/s. With a pace, links in nodes have their line rate, as in
/// load_profiles.
std::vector<double> capacities_of(const topology::Cluster& cluster,
                                  const WorkloadOptions& options) {
  std::vector<double> capacities = link_capacities(cluster, options.faults, options.network_share);
  if (!options.pace) return capacities;
  for (std::size_t l = 0; l < capacities.size(); ++l) {
    const topology::Link& link = cluster.link(LinkId(l));
    capacities[l] *=
        std::max(1.0, link.line_rate.bytes_per_second() / link.bandwidth.bytes_per_second());
  }
  return capacities;
}

}  // namespace

LinkUsage::LinkUsage(const topology::Cluster& cluster, const collectives::Workload& workload,
                     std::span<const Rank> gpus, const WorkloadOptions& options,
                     const collectives::WorkloadRun& run)
    : cluster_(cluster),
      workload_(workload),
      run_(run),
      communications_(workload),
      profiles_(load_profiles(cluster, communications_, gpus, options)),
      capacities_(capacities_of(cluster, options)) {}

Time LinkUsage::latency(std::uint32_t load, float share) const {
  return Time::from_seconds(profiles_[load].latency.seconds() / static_cast<double>(share));
}

LinkUsage::TransferTime LinkUsage::transfer_time(std::uint32_t load, float share) const {
  const IsolatedTime& profile = profiles_[load];
  TransferTime most{.link = LinkId::none()};
  std::map<std::string_view, double> tiers;
  double hosts = 0;
  for (const auto& [link, bytes] : profile.bytes) {
    double seconds = bytes / capacities_[link.index()];
    if (cluster_.link(link).kind != topology::LinkKind::fabric) {
      hosts = std::max(hosts, seconds);
      seconds /= static_cast<double>(share);
    }
    double& tier = tiers[tier_name(cluster_, link)];
    tier = std::max(tier, seconds);
    if (seconds <= most.seconds) continue;
    most.seconds = seconds;
    most.link = link;
  }
  // If the hosts need longer than their links, software is the limit for the rest.
  const double at_hosts = profile.at_hosts.seconds();
  if (at_hosts > hosts * (1 + 1e-6)) most.with_faster = at_hosts / static_cast<double>(share);
  if (most.with_faster > most.seconds) return {.link = LinkId::none()};
  if (most.link.is_none()) return most;
  for (const auto& [tier, seconds] : tiers)
    most.with_faster =
        std::max(most.with_faster, tier == tier_name(cluster_, most.link) ? seconds / 2 : seconds);
  return most;
}

std::vector<CriticalTier> LinkUsage::critical() const {
  std::map<std::string_view, CriticalTier> tiers;
  std::map<LinkId, Time> bound;
  for (const collectives::CriticalStep& step : run_.critical_path) {
    const RankClassRun& ranks = run_.classes[step.operation.which];
    const std::uint32_t number = workload_.roles()[ranks.role].program;
    const std::uint32_t use = communications_.use_of(number, step.operation.operation);
    if (use == collectives::Communications::kNone) continue;
    const Operation& operation = workload_.programs()[number].operations[step.operation.operation];
    const std::uint32_t load = communications_.load_of(ranks.ranks.front(), use);
    const TransferTime its = transfer_time(load, operation.rate_share);
    const Time moves = ranks.operations[step.operation.operation].start + operation.duration +
                       latency(load, operation.rate_share);
    const Time time = step.end - std::max(step.begin, moves);
    if (time <= Time() || its.link.is_none()) continue;
    CriticalTier& tier = tiers[tier_name(cluster_, its.link)];
    tier.tier = tier_name(cluster_, its.link);
    tier.bound += time;
    tier.saved += Time::from_seconds(time.seconds() * (1 - its.with_faster / its.seconds));
    bound[its.link] += time;
    if (tier.link.is_none() || bound[its.link] > bound[tier.link]) tier.link = its.link;
  }
  std::vector<CriticalTier> all;
  for (const auto& [name, tier] : tiers) all.push_back(tier);
  std::ranges::stable_sort(all, std::ranges::greater{}, &CriticalTier::saved);
  return all;
}

std::vector<std::vector<LinkLoad>> LinkUsage::over_time(std::size_t count) const {
  // The number of times that each load runs in each part.
  std::vector<std::vector<double>> times(profiles_.size(), std::vector<double>(count, 0.0));
  const double part = run_.total.seconds() / static_cast<double>(count);
  const auto add = [&](std::uint32_t load, const Operation& operation, const OperationRun& run) {
    const double end = run.end.seconds();
    const Time moves = run.start + operation.duration + latency(load, operation.rate_share);
    const double begin = std::min(end, moves.seconds());
    const auto last = std::min(count - 1, static_cast<std::size_t>(end / part));
    auto i = std::min(last, static_cast<std::size_t>(begin / part));
    if (!(end > begin)) {
      times[load][i] += 1;
      return;
    }
    for (; i <= last; ++i) {
      const double from = std::max(begin, static_cast<double>(i) * part);
      const double to = i == last ? end : static_cast<double>(i + 1) * part;
      times[load][i] += std::max(0.0, to - from) / (end - begin);
    }
  };
  for (const RankClassRun& ranks : run_.classes) {
    const std::uint32_t number = workload_.roles()[ranks.role].program;
    const Program& program = workload_.programs()[number];
    for (std::uint32_t i = 0; i < program.operations.size(); ++i) {
      const Operation& its = program.operations[i];
      const std::uint32_t use = communications_.use_of(number, i);
      if (use == collectives::Communications::kNone || its.kind == OperationKind::receive) continue;
      for (const std::uint32_t rank : ranks.ranks)
        if (its.kind == OperationKind::send || workload_.membership(its.family, rank).position == 0)
          add(communications_.load_of(rank, use), its, ranks.operations[i]);
    }
  }
  std::vector<std::vector<LinkLoad>> all(count);
  std::vector<double> bytes(cluster_.link_count());
  for (std::size_t i = 0; i < count; ++i) {
    std::ranges::fill(bytes, 0.0);
    for (std::size_t load = 0; load < times.size(); ++load)
      if (times[load][i] > 0)
        for (const auto& [link, each] : profiles_[load].bytes)
          bytes[link.index()] += each * times[load][i];
    for (std::size_t l = 0; l < bytes.size(); ++l)
      if (bytes[l] > 0)
        all[i].push_back(link_load(LinkId(l), bytes[l], cluster_.link(LinkId(l)).bandwidth));
  }
  return all;
}

std::vector<TierUsage> tier_usage(const topology::Cluster& cluster, const LinkUsage& usage,
                                  Time total, std::size_t count) {
  const auto at = [&](std::size_t part) {
    return Time::picoseconds(total.picoseconds() / static_cast<std::int64_t>(count) *
                             static_cast<std::int64_t>(part));
  };
  std::vector<TierUsage> all;
  const std::vector<std::vector<LinkLoad>> parts = usage.over_time(count);
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (const TierLoad& load : tier_loads(cluster, parts[i], at(i + 1) - at(i)))
      if (load.pod < 0) all.push_back({.begin = at(i), .end = at(i + 1), .load = load});
  return all;
}

}  // namespace railyard::sim
