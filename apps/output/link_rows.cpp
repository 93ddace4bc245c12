#include "apps/output/link_rows.hpp"

#include <array>
#include <utility>

#include "apps/output/row_values.hpp"

namespace railyard::apps {

std::string link_name(const topology::Cluster& cluster, LinkId link) {
  return link.is_none() ? "" : cluster.name(link);
}

std::vector<LinkRow> link_rows(const topology::Cluster& cluster,
                               const std::vector<collectives::LinkLoad>& loads, std::size_t row,
                               Time span) {
  std::vector<LinkRow> rows;
  for (const sim::TierLoad& load : sim::tier_loads(cluster, loads, span))
    rows.push_back({row, load, link_name(cluster, load.busiest)});
  return rows;
}

std::vector<CableRow> cable_rows(const topology::Cluster& cluster,
                                 const std::vector<collectives::LinkLoad>& loads, std::size_t row,
                                 Time span) {
  std::vector<CableRow> rows;
  for (sim::CableLoad& load : sim::cable_loads(cluster, loads, span))
    rows.push_back({row, std::move(load)});
  return rows;
}

RowTable tabulate_cables(const std::vector<CableRow>& rows) {
  static constexpr std::array<Column<CableRow>, 4> kColumns{{
      {"row", [](const CableRow& r) { return whole_number(r.row); }},
      {"cable", [](const CableRow& r) -> RowValue { return r.load.cable; }},
      {"up", [](const CableRow& r) -> RowValue { return r.load.up; }, kThousandths},
      {"down", [](const CableRow& r) -> RowValue { return r.load.down; }, kThousandths},
  }};
  return tabulate(kColumns, rows);
}

RowTable tabulate_links(const std::vector<LinkRow>& rows) {
  using Row = LinkRow;
  static constexpr std::array<Column<Row>, 9> kColumns{{
      {"row", [](const Row& r) { return whole_number(r.row); }},
      {"tier", [](const Row& r) -> RowValue { return std::string(r.load.tier); }},
      {"direction", [](const Row& r) -> RowValue { return std::string(r.load.direction); }},
      {"pod", [](const Row& r) { return r.load.pod < 0 ? RowValue() : RowValue(r.load.pod); },
       kShared},
      {"links", [](const Row& r) -> RowValue { return r.load.links; }},
      {"used", [](const Row& r) -> RowValue { return r.load.used; }},
      {"max_utilisation", [](const Row& r) -> RowValue { return r.load.max_utilisation; },
       kThousandths},
      {"mean_utilisation", [](const Row& r) -> RowValue { return r.load.mean_utilisation; },
       kThousandths},
      {"busiest", [](const Row& r) -> RowValue { return r.busiest; }},
  }};
  return tabulate(kColumns, rows);
}

}  // namespace railyard::apps
