#include "topology/cluster/summary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "topology/fabric/fabric_check.hpp"
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

/// The number of fabric links on a shortest path from a NIC to every device; -1 if there is none.
/// NICs are never intermediate hops.
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

namespace {

std::string plural(std::size_t n, std::string_view word) {
  const bool is_switch = word.ends_with("ch");
  return fmt::format("{} {}{}", n, word, n == 1 ? "" : (is_switch ? "es" : "s"));
}

std::string node_line(const NodeSummary& node) {
  std::string line = fmt::format("{} x {}: {}", node.count, node.name, node.gpus);
  line += node.gpu.empty() ? " GPUs" : " x " + node.gpu;
  if (node.hosts > 1) line += fmt::format(" in {} hosts", node.hosts);
  if (node.nics > 0)
    line += fmt::format(", {} of {}", plural(static_cast<std::size_t>(node.nics), "NIC"),
                        to_text(node.nic_bandwidth));
  return line;
}

std::vector<std::string> node_details(const NodeSummary& node) {
  std::vector<std::string> lines;
  const std::string_view rank = node.host ? "rank" : "GPU";
  if (node.gpus > 1)
    lines.push_back(fmt::format("{} to {}: {}, {}{:g} GB/s", rank, rank, to_text(node.gpu_to_gpu),
                                node.gpus > 2 ? "at least " : "",
                                node.gpu_bandwidth.gigabytes_per_second()));
  if (node.nics > 0) lines.push_back(fmt::format("{} to NIC: {}", rank, to_text(node.gpu_to_nic)));
  return lines;
}

/// A bandwidth for display, rounded to 0.1 Gb/s unless it is a whole number of Mb/s: bandwidth
/// divided over several switches has many digits.
std::string rate_text(Bandwidth rate) {
  constexpr std::int64_t kMegabit = 1'000'000;
  if (rate.bits_per_second() % kMegabit == 0) return to_text(rate);
  return fmt::format("{:.1f} Gb/s", static_cast<double>(rate.bits_per_second()) / 1e9);
}

std::string tier_line(const TierSummary& tier) {
  std::string line =
      fmt::format("{}: {} with up to {} in use each; the tier has {} down", to_text(tier.kind),
                  plural(tier.switches, "switch"),
                  plural(static_cast<std::size_t>(tier.most_ports), "port"), rate_text(tier.down));
  if (const auto ratio = tier.oversubscription())
    line += fmt::format(", {} up, oversubscription {:.4g}", rate_text(tier.up), *ratio);
  return line;
}

std::string range_text(const std::optional<SwitchHops>& hops) {
  if (!hops) return "no path in the fabric";
  if (hops->nearest == hops->farthest)
    return plural(static_cast<std::size_t>(hops->nearest), "switch");
  return fmt::format("{} to {} switches", hops->nearest, hops->farthest);
}

std::vector<std::string> hop_lines(const Summary& summary) {
  std::vector<std::string> lines;
  if (summary.same_node_links)
    lines.push_back(fmt::format(
        "same node: {}", plural(static_cast<std::size_t>(*summary.same_node_links), "link")));
  if (summary.nodes < 2 || summary.nics == 0) return lines;
  lines.push_back("same rail: " + range_text(summary.same_rail));
  if (summary.nics > summary.nodes)
    lines.push_back("cross rail: " + range_text(summary.cross_rail));
  return lines;
}

/// A line of the tree and the lines below it.
struct Branch {
  std::string line;
  std::vector<std::string> below;
};

std::string draw(const std::vector<Branch>& branches) {
  std::string text;
  for (std::size_t i = 0; i < branches.size(); ++i) {
    const bool is_last = i + 1 == branches.size();
    text += fmt::format("{} {}\n", is_last ? "└─" : "├─", branches[i].line);
    for (std::size_t j = 0; j < branches[i].below.size(); ++j)
      text += fmt::format("{}  {} {}\n", is_last ? " " : "│",
                          j + 1 == branches[i].below.size() ? "└─" : "├─", branches[i].below[j]);
  }
  return text;
}

}  // namespace

std::string to_text(const Summary& summary) {
  const bool host = std::ranges::all_of(summary.kinds, &NodeSummary::host);
  std::vector<Branch> branches;
  for (const NodeSummary& node : summary.kinds)
    branches.push_back({node_line(node), node_details(node)});
  Branch fabric{
      fmt::format("{} fabric, {}", to_text(summary.fabric), plural(summary.cables, "cable")), {}};
  for (const TierSummary& tier : summary.tiers) fabric.below.push_back(tier_line(tier));
  branches.push_back(std::move(fabric));
  branches.push_back({host ? "path length between two ranks" : "path length between two GPUs",
                      hop_lines(summary)});
  return fmt::format("{}: {}, {}, {}\n", summary.name, plural(summary.nodes, "node"),
                     plural(summary.gpus, host ? "rank" : "GPU"), plural(summary.nics, "NIC")) +
         draw(branches);
}

}  // namespace railyard::topology
