#include "placement/capacity/budget/cluster_parts.hpp"

#include <algorithm>
#include <array>

namespace railyard::placement {
namespace {

using topology::DeviceKind;

/// Index of a device's tier above the nodes: 0 for devices in nodes.
std::size_t tier_of(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::leaf: return 1;
    case DeviceKind::spine: return 2;
    case DeviceKind::core: return 3;
    default: return 0;
  }
}

}  // namespace

int ClusterParts::switches() const {
  int sum = 0;
  for (const TierParts& tier : tiers) sum += tier.switches;
  return sum;
}

int ClusterParts::cables() const {
  int sum = 0;
  for (const TierParts& tier : tiers) sum += tier.cables;
  return sum;
}

ClusterParts cluster_parts(const topology::Cluster& cluster) {
  constexpr std::array kNames{"", "leaf", "spine", "core"};
  ClusterParts parts{.nodes = static_cast<int>(cluster.node_count()),
                     .gpus = static_cast<int>(cluster.rank_count())};
  std::array<TierParts, 4> tiers{};
  for (const topology::Device& device : cluster.devices()) {
    ++tiers[tier_of(device.kind)].switches;
    if (device.kind == DeviceKind::nic) ++parts.nics;
  }
  for (const topology::Link& link : cluster.links()) {
    if (link.kind != topology::LinkKind::port && link.kind != topology::LinkKind::fabric) continue;
    const std::size_t upper =
        std::max(tier_of(cluster.device(link.from).kind), tier_of(cluster.device(link.to).kind));
    ++tiers[upper].cables;  // in each direction
  }
  for (std::size_t t = 1; t < tiers.size(); ++t) {
    if (tiers[t].switches == 0) continue;
    parts.tiers.push_back(
        {.name = kNames[t], .switches = tiers[t].switches, .cables = tiers[t].cables / 2});
  }
  return parts;
}

ComponentCounts component_counts(const ClusterParts& parts, int gpus) {
  const int per_node = parts.gpus_per_node();
  const int nodes = (gpus + per_node - 1) / per_node;
  const double share = parts.nodes > 0 ? static_cast<double>(nodes) / parts.nodes : 0;
  return {.gpus = static_cast<double>(gpus),
          .nics = share * parts.nics,
          .cables = share * parts.cables(),
          .switches = share * parts.switches(),
          .nodes = static_cast<double>(nodes)};
}

}  // namespace railyard::placement
