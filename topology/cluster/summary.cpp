#include "topology/cluster/summary.hpp"

#include <algorithm>

#include "topology/node/host_rank.hpp"

namespace railyard::topology {
namespace {

NodeSummary summarise_node(const NodeShape& shape) {
  NodeSummary node{.name = shape.spec().name,
                   .gpu = shape.spec().gpu.name,
                   .hosts = shape.spec().hosts,
                   .gpus = shape.gpu_count(),
                   .nics = shape.nic_count(),
                   .host = is_host_rank(shape.spec().gpu),
                   .nic_bandwidth = {},
                   .gpu_to_gpu = PathType::loc,
                   .gpu_bandwidth = {},
                   .gpu_to_nic = PathType::loc};
  if (node.nics > 0) node.nic_bandwidth = shape.nic_rate(0);
  for (int a = 0; a < node.gpus; ++a) {
    const int nic = shape.nearest_nic(a);
    if (nic >= 0) node.gpu_to_nic = std::max(node.gpu_to_nic, shape.gpu_to_nic(a, nic).type);
    for (int b = 0; b < node.gpus; ++b) {
      if (a == b) continue;
      const NodePath path = shape.gpu_to_gpu(a, b);
      node.gpu_to_gpu = std::max(node.gpu_to_gpu, path.type);
      if (node.gpu_bandwidth == Bandwidth() || path.bandwidth < node.gpu_bandwidth)
        node.gpu_bandwidth = path.bandwidth;
    }
  }
  return node;
}

void count_nodes(const Cluster& cluster, Summary& summary) {
  for (const auto& shape : cluster.shapes()) summary.kinds.push_back(summarise_node(*shape));
  for (std::size_t i = 0; i < cluster.node_count(); ++i) {
    NodeSummary& kind = summary.kinds[cluster.node(NodeId(i)).shape];
    ++kind.count;
    summary.hosts += static_cast<std::size_t>(kind.hosts);
    summary.nics += static_cast<std::size_t>(kind.nics);
  }
}

void count_tiers(const Cluster& cluster, Summary& summary) {
  std::array<TierSummary, 4> tiers;
  for (std::size_t i = 0; i < cluster.device_count(); ++i) {
    const Device& device = cluster.device(DeviceId(i));
    ++summary.devices[static_cast<std::size_t>(device.kind)];
    const int own = tier(device.kind);
    if (own == 0) continue;
    TierSummary& at = tiers[static_cast<std::size_t>(own)];
    at.kind = device.kind;
    ++at.switches;
    const std::span<const LinkId> out = cluster.out_links(DeviceId(i));
    at.most_ports = std::max(at.most_ports, static_cast<int>(out.size()));
    for (const LinkId id : out) {
      const Link& link = cluster.link(id);
      const int other = tier(cluster.device(link.to).kind);
      if (other < own) at.down += link.bandwidth;
      if (other > own) at.up += link.bandwidth;
    }
  }
  for (const TierSummary& at : tiers)
    if (at.switches > 0) summary.tiers.push_back(at);
  for (const Link& link : cluster.links())
    if (link.kind >= LinkKind::port && link.from < link.to) ++summary.cables;
}

/// Links of the fabric from a NIC to every device, or -1; NICs do not forward.
std::vector<int> fabric_distances(const Cluster& cluster, DeviceId from) {
  std::vector<int> distance(cluster.device_count(), -1);
  std::vector<DeviceId> queue{from};
  distance[from.index()] = 0;
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const DeviceId at = queue[next];
    if (next > 0 && !is_fabric_switch(cluster.device(at).kind)) continue;
    for (const LinkId id : cluster.out_links(at)) {
      const Link& link = cluster.link(id);
      if (link.kind < LinkKind::port || distance[link.to.index()] >= 0) continue;
      distance[link.to.index()] = distance[at.index()] + 1;
      queue.push_back(link.to);
    }
  }
  return distance;
}

void widen(std::optional<SwitchHops>& hops, int switches) {
  if (!hops) hops = SwitchHops{switches, switches};
  hops->nearest = std::min(hops->nearest, switches);
  hops->farthest = std::max(hops->farthest, switches);
}

/// n links between two NICs cross n - 1 switches.
void count_hops(const Cluster& cluster, Summary& summary) {
  const NodeShape& first = cluster.shape(NodeId(0));
  if (first.gpu_count() > 1)
    summary.same_node_links = static_cast<int>(first.gpu_to_gpu(0, 1).links.size());
  const int own_nic = first.nearest_nic(0);
  if (own_nic < 0) return;
  const std::vector<int> distance = fabric_distances(cluster, cluster.nic(NodeId(0), own_nic));
  for (std::size_t node = 1; node < cluster.node_count(); ++node) {
    const NodeShape& shape = cluster.shape(NodeId(node));
    for (int nic = 0; nic < shape.nic_count(); ++nic) {
      const int links = distance[cluster.nic(NodeId(node), nic).index()];
      if (links < 0) continue;
      const bool is_same = shape.rail_of_nic(nic) == first.rail_of_nic(own_nic);
      widen(is_same ? summary.same_rail : summary.cross_rail, links - 1);
    }
  }
}

}  // namespace

std::optional<double> TierSummary::oversubscription() const {
  if (up <= Bandwidth()) return {};
  return down.bytes_per_second() / up.bytes_per_second();
}

Summary summarise(const Cluster& cluster) {
  Summary summary;
  summary.name = cluster.spec().name;
  summary.fabric = cluster.spec().fabric.kind;
  summary.nodes = cluster.node_count();
  summary.gpus = cluster.rank_count();
  count_nodes(cluster, summary);
  count_tiers(cluster, summary);
  count_hops(cluster, summary);
  return summary;
}

}  // namespace railyard::topology
