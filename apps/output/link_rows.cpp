#include "apps/output/link_rows.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "apps/output/row_values.hpp"
#include "sim/link_report.hpp"
#include "topology/picture/fabric_layout.hpp"

namespace railyard::apps {

std::vector<LinkRow> link_rows(const topology::Cluster& cluster, const collectives::Run& run,
                               std::size_t row, Time span) {
  std::vector<LinkRow> rows;
  for (const sim::TierLoad& load : sim::tier_loads(cluster, run.link_loads, span)) {
    rows.push_back({.row = static_cast<std::int64_t>(row),
                    .tier = std::string(load.tier),
                    .direction = std::string(load.direction),
                    .pod = load.pod,
                    .links = load.links,
                    .used = load.used,
                    .max_utilisation = load.max_utilisation,
                    .mean_utilisation = load.mean_utilisation,
                    .busiest = load.busiest.is_none() ? "" : cluster.name(load.busiest)});
  }
  return rows;
}

std::vector<CableRow> cable_rows(const topology::Cluster& cluster, const collectives::Run& run,
                                 std::size_t row, Time span) {
  using topology::LinkKind;
  const topology::picture::FabricLayout drawn =
      topology::picture::lay_out_fabric(cluster, topology::picture::outline_fabric(cluster, {}));
  std::map<std::pair<DeviceId, DeviceId>, CableRow> cables;
  const auto is_drawn = [&](const topology::Link& link) {
    const bool is_cable = link.kind == LinkKind::port || link.kind == LinkKind::fabric;
    return is_cable && drawn.devices.contains(link.from) && drawn.devices.contains(link.to);
  };
  for (const auto& [device, box] : drawn.devices) {  // idle ones are listed too
    for (const LinkId id : cluster.out_links(device)) {
      const topology::Link& link = cluster.link(id);
      const bool is_up = topology::tier(cluster.device(link.from).kind) <
                         topology::tier(cluster.device(link.to).kind);
      if (is_up && is_drawn(link)) cables[{link.from, link.to}];
    }
  }
  for (const collectives::LinkLoad& load : run.link_loads) {
    const topology::Link& link = cluster.link(load.link);
    if (!is_drawn(link)) continue;
    const bool is_up = topology::tier(cluster.device(link.from).kind) <=
                       topology::tier(cluster.device(link.to).kind);
    const auto ends = is_up ? std::pair(link.from, link.to) : std::pair(link.to, link.from);
    CableRow& cable = cables[ends];
    double& utilisation = is_up ? cable.up : cable.down;
    if (span > Time()) utilisation = std::max(utilisation, load.busy.seconds() / span.seconds());
  }
  std::vector<CableRow> rows;
  for (auto& [ends, cable] : cables) {
    cable.row = static_cast<std::int64_t>(row);
    cable.cable = cluster.name(ends.first) + " -- " + cluster.name(ends.second);
    rows.push_back(std::move(cable));
  }
  return rows;
}

RowTable tabulate_cables(const std::vector<CableRow>& rows) {
  static constexpr std::array<Column<CableRow>, 4> kColumns{{
      {"row", [](const CableRow& r) -> RowValue { return r.row; }},
      {"cable", [](const CableRow& r) -> RowValue { return r.cable; }},
      {"up", [](const CableRow& r) -> RowValue { return r.up; }, kThousandths},
      {"down", [](const CableRow& r) -> RowValue { return r.down; }, kThousandths},
  }};
  return tabulate(kColumns, rows);
}

RowTable tabulate_links(const std::vector<LinkRow>& rows) {
  static constexpr std::array<Column<LinkRow>, 9> kColumns{{
      {"row", [](const LinkRow& r) -> RowValue { return r.row; }},
      {"tier", [](const LinkRow& r) -> RowValue { return r.tier; }},
      {"direction", [](const LinkRow& r) -> RowValue { return r.direction; }},
      {"pod", [](const LinkRow& r) { return r.pod < 0 ? RowValue() : RowValue(r.pod); }, kShared},
      {"links", [](const LinkRow& r) -> RowValue { return r.links; }},
      {"used", [](const LinkRow& r) -> RowValue { return r.used; }},
      {"max_utilisation", [](const LinkRow& r) -> RowValue { return r.max_utilisation; },
       kThousandths},
      {"mean_utilisation", [](const LinkRow& r) -> RowValue { return r.mean_utilisation; },
       kThousandths},
      {"busiest", [](const LinkRow& r) -> RowValue { return r.busiest; }},
  }};
  return tabulate(kColumns, rows);
}

}  // namespace railyard::apps
