#include <fmt/format.h>

#include <algorithm>

#include "topology/cluster/summary.hpp"
#include "topology/fabric/fabric_check.hpp"

namespace railyard::topology {
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
    lines.push_back(fmt::format("{} to {}: {}, {:g} GB/s{}", rank, rank, to_text(node.gpu_to_gpu),
                                node.gpu_bandwidth.gigabytes_per_second(),
                                node.gpus > 2 ? " at the least" : ""));
  if (node.nics > 0) lines.push_back(fmt::format("{} to NIC: {}", rank, to_text(node.gpu_to_nic)));
  return lines;
}

std::string tier_line(const TierSummary& tier) {
  std::string line = fmt::format(
      "{}: {} of up to {}, {} down", to_text(tier.kind), plural(tier.switches, "switch"),
      plural(static_cast<std::size_t>(tier.most_ports), "port"), to_text(tier.down));
  if (const auto ratio = tier.oversubscription())
    line += fmt::format(", {} up, oversubscription {:.4g}", to_text(tier.up), *ratio);
  return line;
}

std::string range_text(const std::optional<SwitchHops>& hops) {
  if (!hops) return "no way in the fabric";
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

/// A line of the tree with those below it.
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
  branches.push_back(
      {host ? "on the way between two ranks" : "on the way between two GPUs", hop_lines(summary)});
  return fmt::format("{}: {}, {}, {}\n", summary.name, plural(summary.nodes, "node"),
                     plural(summary.gpus, host ? "rank" : "GPU"), plural(summary.nics, "NIC")) +
         draw(branches);
}

}  // namespace railyard::topology
