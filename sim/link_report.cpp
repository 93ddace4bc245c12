#include "sim/link_report.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace railyard::sim {
namespace {

using topology::Cluster;
using topology::Link;
using topology::LinkKind;

/// Index: [tier of the source][tier of the destination]; tier 0 is a NIC.
constexpr std::array<std::array<std::string_view, 4>, 4> kNetworkTiers{{
    {"nic -> nic", "nic -> leaf", "nic -> spine", "nic -> core"},
    {"leaf -> nic", "leaf -> leaf", "leaf -> spine", "leaf -> core"},
    {"spine -> nic", "spine -> leaf", "spine -> spine", "spine -> core"},
    {"core -> nic", "core -> leaf", "core -> spine", "core -> core"},
}};

/// Tiers and directions in the order of reports: from inside a node up to the core and back.
struct Place {
  std::string_view tier;
  std::string_view direction;
};

constexpr std::array<Place, 12> kPlaces{{{"nvlink", ""},
                                         {"c2c", ""},
                                         {"pcie", ""},
                                         {"socket", ""},
                                         {"port", "up"},
                                         {"leaf-spine", "up"},
                                         {"spine-core", "up"},
                                         {"fabric", "up"},
                                         {"fabric", "down"},
                                         {"spine-core", "down"},
                                         {"leaf-spine", "down"},
                                         {"port", "down"}}};

std::size_t place_of(const Cluster& cluster, const Link& link) {
  const int from = topology::tier(cluster.device(link.from).kind);
  const int to = topology::tier(cluster.device(link.to).kind);
  const bool up = from <= to;
  switch (link.kind) {
    case LinkKind::nvlink: return 0;
    case LinkKind::c2c: return 1;
    case LinkKind::pcie: return 2;
    case LinkKind::socket: return 3;
    case LinkKind::port: return up ? 4 : 11;
    case LinkKind::fabric: break;
  }
  const int low = std::min(from, to);
  const int high = std::max(from, to);
  if (low == 1 && high == 2) return up ? 5 : 10;
  if (low == 2 && high == 3) return up ? 6 : 9;
  return up ? 7 : 8;
}

/// The pod of the lower end of a fabric link (for a port: of its switch); -1 inside a node.
std::int64_t pod_of(const Cluster& cluster, const Link& link) {
  const topology::Device& from = cluster.device(link.from);
  const topology::Device& to = cluster.device(link.to);
  if (link.kind == LinkKind::port) {
    return topology::is_fabric_switch(from.kind) ? from.pod : to.pod;
  }
  if (link.kind != LinkKind::fabric) return -1;
  return topology::tier(from.kind) <= topology::tier(to.kind) ? from.pod : to.pod;
}

struct Sum {
  std::int64_t links = 0, used = 0;
  double total = 0, most = 0;
  LinkId busiest;

  void add(LinkId link, double utilisation) {
    if (utilisation > 0) ++used;
    total += utilisation;
    if (utilisation <= most) return;
    most = utilisation;
    busiest = link;
  }
};

using Sums = std::map<std::pair<std::size_t, std::int64_t>, Sum>;  ///< by place and pod

Sums sums_of(const Cluster& cluster, std::span<const collectives::LinkLoad> loads, Time span) {
  Sums sums;
  auto load = loads.begin();
  for (std::size_t i = 0; i < cluster.link_count(); ++i) {
    const LinkId id(i);
    const Link& link = cluster.link(id);
    const std::size_t place = place_of(cluster, link);
    double utilisation = 0;
    for (; load != loads.end() && load->link <= id; ++load) {
      if (load->link == id && span > Time()) utilisation = load->busy.seconds() / span.seconds();
    }
    for (const std::int64_t pod : {std::int64_t{-1}, pod_of(cluster, link)}) {
      Sum& sum = sums[{place, pod}];
      ++sum.links;
      sum.add(id, utilisation);
      if (pod_of(cluster, link) == -1) break;
    }
  }
  return sums;
}

}  // namespace

std::string_view tier_of(const topology::Cluster& cluster, LinkId id) {
  const auto& link = cluster.link(id);
  if (link.kind != LinkKind::port && link.kind != LinkKind::fabric)
    return topology::to_text(link.kind);
  const auto from = static_cast<std::size_t>(topology::tier(cluster.device(link.from).kind));
  const auto to = static_cast<std::size_t>(topology::tier(cluster.device(link.to).kind));
  return kNetworkTiers[from][to];
}

std::string_view tier_name(const Cluster& cluster, LinkId link) {
  return kPlaces[place_of(cluster, cluster.link(link))].tier;
}

std::vector<TierLoad> tier_loads(const Cluster& cluster,
                                 std::span<const collectives::LinkLoad> loads, Time span) {
  const Sums sums = sums_of(cluster, loads, span);
  const bool several_pods =
      std::ranges::any_of(sums, [](const auto& entry) { return entry.first.second > 0; });
  std::vector<TierLoad> result;
  for (const auto& [key, sum] : sums) {
    const auto& [place, pod] = key;
    if (pod != -1 && !several_pods) continue;
    result.push_back({.tier = kPlaces[place].tier,
                      .direction = kPlaces[place].direction,
                      .pod = pod,
                      .links = sum.links,
                      .used = sum.used,
                      .mean_utilisation = sum.total / static_cast<double>(sum.links),
                      .max_utilisation = sum.most,
                      .busiest = sum.busiest});
  }
  return result;
}

}  // namespace railyard::sim
