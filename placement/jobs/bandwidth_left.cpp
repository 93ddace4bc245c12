#include "placement/jobs/bandwidth_left.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "placement/jobs/taken_gpus.hpp"
#include "placement/mapping/background.hpp"

namespace railyard::placement {
namespace {

/// The groups of GPUs of a running job that communicate: all its GPUs, or for the pattern rails one
/// group per number of the GPU in its node.
RankGroups groups_of(const topology::Cluster& cluster, const RunningJob& tenant) {
  std::map<int, std::vector<JobRank>> members;
  for (const Rank gpu : gpus_of(cluster, tenant.nodes, tenant.gpus))
    members[tenant.pattern == TenantPattern::rails ? cluster.local_gpu(gpu) : 0].emplace_back(
        gpu.value());
  RankGroups groups;
  for (const auto& [number, gpus] : members)
    if (gpus.size() > 1) groups.add(gpus);
  return groups;
}

TrafficPattern pattern_of(TenantPattern pattern) {
  switch (pattern) {
    case TenantPattern::ring:
    case TenantPattern::rails: break;
    case TenantPattern::chain: return TrafficPattern::chain;
    case TenantPattern::all_to_all: return TrafficPattern::all_to_all;
  }
  return TrafficPattern::ring;
}

/// Traffic of the other jobs in one second.
std::vector<Traffic> traffic_of_others(const PlaceProblem& problem) {
  std::vector<Traffic> traffic = problem.other_traffic;
  for (const RunningJob& tenant : problem.occupancy.jobs) {
    if (tenant.rate.bits_per_second() == 0) continue;
    RankGroups groups = groups_of(problem.cluster, tenant);
    if (groups.count() == 0) continue;
    traffic.push_back({pattern_of(tenant.pattern), std::move(groups),
                       Bytes(static_cast<std::int64_t>(tenant.rate.bytes_per_second()))});
  }
  return traffic;
}

}  // namespace

std::vector<topology::Degradation> BandwidthLeft::used_links() const {
  std::vector<topology::Degradation> used;
  for (std::size_t l = 0; l < of_links.size(); ++l)
    if (of_links[l] < 1) used.push_back({LinkId(l), of_links[l]});
  return used;
}

BandwidthLeft bandwidth_left(const PlaceProblem& problem, const Tiers& tiers) {
  BandwidthLeft left;
  const auto others = traffic_of_others(problem);
  if (others.empty()) return left;
  const bool pxn = evaluate_options(problem.cluster).pxn;
  left.of_trunks = available_bandwidth(tiers, others, pxn);
  left.of_links = left_of_links(tiers, left.of_trunks);
  return left;
}

std::vector<topology::Degradation> links_used_by_others(const PlaceProblem& problem) {
  if (problem.occupancy.jobs.empty() && problem.other_traffic.empty()) return {};
  return bandwidth_left(problem, Tiers(problem.cluster)).used_links();
}

std::optional<topology::Degradation> busiest_shared_link(
    const PlaceProblem& problem, std::span<const topology::Degradation> used) {
  std::set<NodeId> own;
  for (const Rank gpu : problem.free()) own.insert(problem.cluster.node_of(gpu));
  const auto is_reachable = [&](LinkId id) {
    const topology::Link& link = problem.cluster.link(id);
    const NodeId from = problem.cluster.device(link.from).node,
                 to = problem.cluster.device(link.to).node;
    return (from.is_none() || own.contains(from)) && (to.is_none() || own.contains(to));
  };
  std::optional<topology::Degradation> busiest;
  for (const topology::Degradation& part : used)
    if (is_reachable(part.link) && (!busiest || part.factor < busiest->factor)) busiest = part;
  return busiest;
}

}  // namespace railyard::placement
