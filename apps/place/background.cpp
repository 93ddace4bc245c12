#include "apps/place/background.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "placement/mapping/background.hpp"

namespace railyard::apps {
namespace {

/// Who of a job talks to whom: its GPUs, or those with the same number in their nodes.
placement::RankGroups groups_of(const topology::Cluster& cluster, const Tenant& tenant) {
  std::map<int, std::vector<placement::JobRank>> members;
  for (const Rank gpu : gpus_of(cluster, tenant.nodes, tenant.gpus))
    members[tenant.pattern == TenantPattern::rails ? cluster.local_gpu(gpu) : 0].emplace_back(
        gpu.value());
  placement::RankGroups groups;
  for (const auto& [number, gpus] : members)
    if (gpus.size() > 1) groups.add(gpus);
  return groups;
}

placement::TrafficPattern pattern_of(TenantPattern pattern) {
  switch (pattern) {
    case TenantPattern::ring:
    case TenantPattern::rails: break;
    case TenantPattern::chain: return placement::TrafficPattern::chain;
    case TenantPattern::all_to_all: return placement::TrafficPattern::all_to_all;
  }
  return placement::TrafficPattern::ring;
}

/// What the cluster's other jobs send in a second.
std::vector<placement::Traffic> traffic_of(const Question& q) {
  std::vector<placement::Traffic> traffic = q.sent;
  for (const Tenant& tenant : q.occupancy.jobs) {
    if (tenant.rate.bits_per_second() == 0) continue;
    placement::RankGroups groups = groups_of(q.cluster, tenant);
    if (groups.count() == 0) continue;
    traffic.push_back({pattern_of(tenant.pattern), std::move(groups),
                       Bytes(static_cast<std::int64_t>(tenant.rate.bytes_per_second()))});
  }
  return traffic;
}

}  // namespace

std::vector<topology::Degradation> Background::taken() const {
  std::vector<topology::Degradation> taken;
  for (std::size_t l = 0; l < left_of_links.size(); ++l)
    if (left_of_links[l] < 1) taken.push_back({LinkId(l), left_of_links[l]});
  return taken;
}

Background background_of(const Question& question, const placement::Tiers& tiers) {
  Background background;
  const auto others = traffic_of(question);
  if (others.empty()) return background;
  const bool pxn = placement::evaluate_options(question.cluster).pxn;
  background.available = placement::available_bandwidth(tiers, others, pxn);
  background.left_of_links = placement::left_of_links(tiers, background.available);
  return background;
}

std::string text_of_taken(const Question& q, std::vector<topology::Degradation> taken) {
  std::set<NodeId> own;
  for (const Rank gpu : q.free) own.insert(q.cluster.node_of(gpu));
  const auto is_far = [&](const topology::Degradation& part) {
    const topology::Link& link = q.cluster.link(part.link);
    const NodeId from = q.cluster.device(link.from).node, to = q.cluster.device(link.to).node;
    return (!from.is_none() && !own.contains(from)) || (!to.is_none() && !own.contains(to));
  };
  std::erase_if(taken, is_far);
  if (taken.empty()) return {};
  const auto most = std::ranges::min_element(taken, {}, &topology::Degradation::factor);
  return fmt::format(
      "other jobs take up to {:.0f} % of a link ({}); what is simulated has the rest",
      100 * (1 - most->factor), q.cluster.name(most->link));
}

}  // namespace railyard::apps
