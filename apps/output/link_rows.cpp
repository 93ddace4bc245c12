#include "apps/output/link_rows.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace railyard::apps {
namespace {

using topology::Cluster;
using topology::DeviceKind;
using topology::Link;
using topology::LinkKind;

/// Tier and direction by their place in reports: from inside a node to the core and back.
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

/// The pod of a fabric link's lower end (of a port: of its switch), -1 inside a node.
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

Sums sums_of(const Cluster& cluster, const collectives::Run& run, Time span) {
  Sums sums;
  auto load = run.link_loads.begin();
  for (std::size_t i = 0; i < cluster.link_count(); ++i) {
    const LinkId id(i);
    const Link& link = cluster.link(id);
    const std::size_t place = place_of(cluster, link);
    double utilisation = 0;
    for (; load != run.link_loads.end() && load->link <= id; ++load) {
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

std::vector<LinkRow> link_rows(const Cluster& cluster, const collectives::Run& run, std::size_t row,
                               Time span) {
  const Sums sums = sums_of(cluster, run, span);
  const bool several_pods =
      std::ranges::any_of(sums, [](const auto& entry) { return entry.first.second > 0; });
  std::vector<LinkRow> rows;
  for (const auto& [key, sum] : sums) {
    const auto& [place, pod] = key;
    if (pod != -1 && !several_pods) continue;
    rows.push_back({.row = static_cast<std::int64_t>(row),
                    .tier = std::string(kPlaces[place].tier),
                    .direction = std::string(kPlaces[place].direction),
                    .pod = pod,
                    .links = sum.links,
                    .used = sum.used,
                    .max_utilisation = sum.most,
                    .mean_utilisation = sum.total / static_cast<double>(sum.links),
                    .busiest = sum.busiest.is_none() ? "" : cluster.name(sum.busiest)});
  }
  return rows;
}

RowTable tabulate_links(const std::vector<LinkRow>& rows) {
  static constexpr ColumnStyle kShare{.decimals = 3};
  static constexpr std::array<Column<LinkRow>, 9> kColumns{{
      {"row", [](const LinkRow& r) -> RowValue { return r.row; }},
      {"tier", [](const LinkRow& r) -> RowValue { return r.tier; }},
      {"direction", [](const LinkRow& r) -> RowValue { return r.direction; }},
      {"pod",
       [](const LinkRow& r) { return r.pod < 0 ? RowValue() : RowValue(r.pod); },
       {.joins_heading = true}},
      {"links", [](const LinkRow& r) -> RowValue { return r.links; }},
      {"used", [](const LinkRow& r) -> RowValue { return r.used; }},
      {"max_utilisation", [](const LinkRow& r) -> RowValue { return r.max_utilisation; }, kShare},
      {"mean_utilisation", [](const LinkRow& r) -> RowValue { return r.mean_utilisation; }, kShare},
      {"busiest", [](const LinkRow& r) -> RowValue { return r.busiest; }},
  }};
  return tabulate(std::span<const Column<LinkRow>>(kColumns), std::span<const LinkRow>(rows));
}

}  // namespace railyard::apps
