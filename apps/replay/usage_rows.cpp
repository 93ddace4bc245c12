#include "apps/replay/usage_rows.hpp"

#include <array>

#include "apps/output/link_rows.hpp"
#include "apps/output/row_values.hpp"

namespace railyard::apps {
std::vector<CriticalTierRow> critical_tier_rows(const topology::Cluster& cluster,
                                                const sim::LinkUsage& usage, std::size_t row,
                                                Time total) {
  std::vector<CriticalTierRow> rows;
  for (const sim::CriticalTier& its : usage.critical())
    rows.push_back({.row = row,
                    .tier = std::string(its.tier),
                    .link = cluster.name(its.link),
                    .bound = its.bound,
                    .saved = its.saved,
                    .total = total});
  return rows;
}

RowTable tabulate_critical_tiers(const std::vector<CriticalTierRow>& rows) {
  using Row = CriticalTierRow;
  static constexpr std::array<Column<Row>, 7> kColumns{{
      {"row", [](const Row& r) { return whole_number(r.row); }},
      {"tier", [](const Row& r) -> RowValue { return r.tier; }},
      {"link", [](const Row& r) -> RowValue { return r.link; }},
      {"bound_us", [](const Row& r) { return microseconds(r.bound); }, kHundredths},
      {"share_pct", [](const Row& r) { return percent_of(r.bound, r.total); }, kTenths},
      {"saved_us", [](const Row& r) { return microseconds(r.saved); }, kHundredths},
      {"saved_pct", [](const Row& r) { return percent_of(r.saved, r.total); }, kTenths},
  }};
  return tabulate(kColumns, rows);
}

std::vector<UsageRow> usage_rows(const topology::Cluster& cluster, const sim::LinkUsage& usage,
                                 std::size_t row, Time total) {
  constexpr std::size_t kParts = 20;
  const auto at = [&](std::size_t part) {
    return Time::picoseconds(total.picoseconds() / static_cast<std::int64_t>(kParts) *
                             static_cast<std::int64_t>(part));
  };
  std::vector<UsageRow> rows;
  const auto parts = usage.over_time(kParts);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    collectives::Run run;
    run.link_loads = parts[i];
    for (const LinkRow& its : link_rows(cluster, run, row, at(i + 1) - at(i))) {
      if (its.pod >= 0) continue;
      rows.push_back({.row = row,
                      .begin = at(i),
                      .end = at(i + 1),
                      .tier = its.tier,
                      .direction = its.direction,
                      .busiest = its.busiest,
                      .max_utilisation = its.max_utilisation,
                      .mean_utilisation = its.mean_utilisation});
    }
  }
  return rows;
}

RowTable tabulate_usage(const std::vector<UsageRow>& rows) {
  using Row = UsageRow;
  static constexpr std::array<Column<Row>, 8> kColumns{{
      {"row", [](const Row& r) { return whole_number(r.row); }},
      {"begin_us", [](const Row& r) { return microseconds(r.begin); }, kHundredths},
      {"end_us", [](const Row& r) { return microseconds(r.end); }, kHundredths},
      {"tier", [](const Row& r) -> RowValue { return r.tier; }},
      {"direction", [](const Row& r) -> RowValue { return r.direction; }},
      {"max_utilisation", [](const Row& r) -> RowValue { return r.max_utilisation; }, kThousandths},
      {"mean_utilisation", [](const Row& r) -> RowValue { return r.mean_utilisation; },
       kThousandths},
      {"busiest", [](const Row& r) -> RowValue { return r.busiest; }},
  }};
  return tabulate(kColumns, rows);
}

}  // namespace railyard::apps
