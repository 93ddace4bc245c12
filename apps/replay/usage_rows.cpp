#include "apps/replay/usage_rows.hpp"

#include <array>

#include "apps/output/link_rows.hpp"
#include "apps/output/row_values.hpp"

namespace railyard::apps {

std::vector<CriticalTierRow> critical_tier_rows(const topology::Cluster& cluster,
                                                const sim::LinkUsage& usage, std::size_t row,
                                                Time total) {
  std::vector<CriticalTierRow> rows;
  for (const sim::CriticalTier& tier : usage.critical())
    rows.push_back({row, tier, link_name(cluster, tier.link), total});
  return rows;
}

RowTable tabulate_critical_tiers(const std::vector<CriticalTierRow>& rows) {
  using Row = CriticalTierRow;
  static constexpr std::array<Column<Row>, 7> kColumns{{
      {"row", [](const Row& r) { return whole_number(r.row); }},
      {"tier", [](const Row& r) -> RowValue { return std::string(r.tier.tier); }},
      {"link", [](const Row& r) -> RowValue { return r.link; }},
      {"bound_us", [](const Row& r) { return microseconds(r.tier.bound); }, kHundredths},
      {"share_pct", [](const Row& r) { return percent_of(r.tier.bound, r.total); }, kTenths},
      {"saved_us", [](const Row& r) { return microseconds(r.tier.saved); }, kHundredths},
      {"saved_pct", [](const Row& r) { return percent_of(r.tier.saved, r.total); }, kTenths},
  }};
  return tabulate(kColumns, rows);
}

std::vector<UsageRow> usage_rows(const topology::Cluster& cluster, const sim::LinkUsage& usage,
                                 std::size_t row, Time total) {
  constexpr std::size_t kParts = 20;
  std::vector<UsageRow> rows;
  for (const sim::TierUsage& part : sim::tier_usage(cluster, usage, total, kParts))
    rows.push_back({row, part, link_name(cluster, part.load.busiest)});
  return rows;
}

RowTable tabulate_usage(const std::vector<UsageRow>& rows) {
  using Row = UsageRow;
  static constexpr std::array<Column<Row>, 8> kColumns{{
      {"row", [](const Row& r) { return whole_number(r.row); }},
      {"begin_us", [](const Row& r) { return microseconds(r.usage.begin); }, kHundredths},
      {"end_us", [](const Row& r) { return microseconds(r.usage.end); }, kHundredths},
      {"tier", [](const Row& r) -> RowValue { return std::string(r.usage.load.tier); }},
      {"direction", [](const Row& r) -> RowValue { return std::string(r.usage.load.direction); }},
      {"max_utilisation", [](const Row& r) -> RowValue { return r.usage.load.max_utilisation; },
       kThousandths},
      {"mean_utilisation", [](const Row& r) -> RowValue { return r.usage.load.mean_utilisation; },
       kThousandths},
      {"busiest", [](const Row& r) -> RowValue { return r.busiest; }},
  }};
  return tabulate(kColumns, rows);
}

}  // namespace railyard::apps
