#include "topology/cluster/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "core/disjoint_sets.hpp"
#include "topology/cluster/link_bandwidths.hpp"
#include "topology/fabric/port_count.hpp"

namespace railyard::topology {
namespace {

using Findings = std::vector<Finding>;

void find_unreachable(const Cluster& cluster, Findings& findings) {
  core::DisjointSets sets(cluster.device_count());
  for (const Link& link : cluster.links()) sets.join(link.from.value(), link.to.value());
  std::vector<DeviceId> lost;
  for (std::size_t rank = 0; rank < cluster.rank_count(); ++rank) {
    const DeviceId gpu = cluster.gpu(Rank(rank));
    if (sets.find(gpu.value()) != sets.find(cluster.gpu(Rank(0)).value())) lost.push_back(gpu);
  }
  if (lost.empty()) return;
  findings.push_back({FindingKind::unreachable, lost.front(),
                      fmt::format("{} of {} GPUs cannot be reached from {}, the first of them {}",
                                  lost.size(), cluster.rank_count(),
                                  cluster.name(cluster.gpu(Rank(0))), cluster.name(lost.front()))});
}

/// Links inside nodes are compared once per shape, because all nodes of a shape have the same ones.
void find_asymmetric(const Cluster& cluster, Findings& findings) {
  std::set<std::uint32_t> seen_shapes;
  std::set<NodeId> looked_at;
  for (std::size_t node = 0; node < cluster.node_count(); ++node)
    if (seen_shapes.insert(cluster.node(NodeId(node)).shape).second) looked_at.insert(NodeId(node));
  for (std::size_t i = 0; i < cluster.link_count(); ++i) {
    const Link& link = cluster.link(LinkId(i));
    const Link& back = cluster.link(link.reverse);
    if (link.reverse < LinkId(i) || link.bandwidth == back.bandwidth) continue;
    const bool is_inner = link.kind < LinkKind::port;
    if (is_inner && !looked_at.contains(cluster.device(link.from).node)) continue;
    findings.push_back({FindingKind::asymmetric, link.from,
                        fmt::format("{} has {:g} GB/s, but {:g} GB/s in the other direction{}",
                                    cluster.name(LinkId(i)), link.bandwidth.gigabytes_per_second(),
                                    back.bandwidth.gigabytes_per_second(),
                                    is_inner ? " (also in all other nodes of this type)" : "")});
  }
}

/// A NIC card of a node shape, and the total rate of its ports, which share one PCIe link.
struct Card {
  const PcieSpec* function = nullptr;
  Bandwidth ports;
  int first_dev = 0;
};

void collect_cards(const std::vector<PcieSpec>& functions, std::vector<Card>& cards) {
  for (const PcieSpec& function : functions) {
    if (function.kind == PcieKind::pcie_switch) collect_cards(function.children, cards);
    if (function.kind != PcieKind::nic || function.nets.empty()) continue;
    Card card{.function = &function, .ports = {}, .first_dev = function.nets.front().dev};
    for (const NetSpec& net : function.nets) card.ports += net.bandwidth;
    cards.push_back(card);
  }
}

void find_slow_pcie(const Cluster& cluster, Findings& findings) {
  std::set<std::uint32_t> seen_shapes;
  for (std::size_t node = 0; node < cluster.node_count(); ++node) {
    if (!seen_shapes.insert(cluster.node(NodeId(node)).shape).second) continue;
    std::vector<Card> cards;
    for (const CpuSpec& cpu : cluster.shape(NodeId(node)).spec().cpus)
      collect_cards(cpu.pcie, cards);
    std::ranges::stable_sort(cards, {}, &Card::first_dev);
    int nic = 0;
    for (const Card& card : cards) {
      const DeviceId first = cluster.nic(NodeId(node), nic);
      nic += static_cast<int>(card.function->nets.size());
      const auto lanes = pcie_line_rate(*card.function);
      if (!lanes || *lanes >= card.ports) continue;
      findings.push_back({FindingKind::slow_pcie, first,
                          fmt::format("{} has ports of {}, but its PCIe link has only {}",
                                      cluster.name(first), to_text(card.ports), to_text(*lanes))});
    }
  }
}

/// The NICs on a leaf, by rail.
using RailsOfLeaf = std::map<int, std::vector<DeviceId>>;

std::map<DeviceId, RailsOfLeaf> rails_by_leaf(const Cluster& cluster) {
  std::map<DeviceId, RailsOfLeaf> leaves;
  for (const Link& link : cluster.links()) {
    const Device& nic = cluster.device(link.from);
    if (link.kind != LinkKind::port || nic.kind != DeviceKind::nic) continue;
    const int rail = cluster.shape(nic.node).rail_of_nic(static_cast<int>(nic.index));
    leaves[link.to][rail].push_back(link.from);
  }
  return leaves;
}

/// A leaf belongs to a rail if at least two thirds of its NICs are of that rail.
void find_mismatched_rails(const Cluster& cluster, Findings& findings) {
  for (const auto& [leaf, rails] : rails_by_leaf(cluster)) {
    std::size_t all = 0, most = 0;
    int rail_of_leaf = 0;
    for (const auto& [rail, nics] : rails) {
      all += nics.size();
      if (nics.size() <= most) continue;
      most = nics.size();
      rail_of_leaf = rail;
    }
    if (3 * most < 2 * all) continue;
    for (const auto& [rail, nics] : rails) {
      if (rail == rail_of_leaf) continue;
      for (const DeviceId nic : nics)
        findings.push_back(
            {FindingKind::mismatched_rail, nic,
             fmt::format("{} belongs to rail {}, but {} is the leaf of rail {} ({} of its {} NICs)",
                         cluster.name(nic), rail, cluster.name(leaf), rail_of_leaf, most, all)});
    }
  }
}

void find_dangling(const Cluster& cluster, Findings& findings) {
  for (std::size_t i = 0; i < cluster.device_count(); ++i) {
    const DeviceId id(i);
    const int own = tier(cluster.device(id).kind);
    if (own == 0) continue;
    const auto leads_down = [&](LinkId link) {
      return tier(cluster.device(cluster.link(link).to).kind) < own;
    };
    if (std::ranges::any_of(cluster.out_links(id), leads_down)) continue;
    findings.push_back(
        {FindingKind::dangling_switch, id,
         fmt::format("{} has {}", cluster.name(id),
                     cluster.out_links(id).empty() ? "no links" : "nothing connected below it")});
  }
}

void find_port_problems(const Cluster& cluster, Findings& findings) {
  constexpr std::array kKinds{FindingKind::beyond_radix, FindingKind::odd_rate,
                              FindingKind::idle_ports};
  for (const PortFinding& found : check_ports(cluster)) {
    Finding finding{kKinds[static_cast<std::size_t>(found.problem)], DeviceId::none(),
                    found.message};
    for (std::size_t i = 0; i < cluster.device_count() && finding.device.is_none(); ++i)
      if (cluster.device(DeviceId(i)).kind == found.tier) finding.device = DeviceId(i);
    findings.push_back(std::move(finding));
  }
}

}  // namespace

std::string_view to_text(FindingKind kind) {
  constexpr std::array<std::string_view, 8> kNames{
      "unreachable",     "asymmetric",   "slow_pcie", "mismatched_rail",
      "dangling_switch", "beyond_radix", "odd_rate",  "idle_ports"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<Finding> check(const Cluster& cluster) {
  Findings findings;
  find_unreachable(cluster, findings);
  find_asymmetric(cluster, findings);
  find_slow_pcie(cluster, findings);
  find_mismatched_rails(cluster, findings);
  find_dangling(cluster, findings);
  find_port_problems(cluster, findings);
  return findings;
}

}  // namespace railyard::topology
