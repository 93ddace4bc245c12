#include "apps/output/link_rows.hpp"

#include <array>

#include "sim/link_report.hpp"

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
