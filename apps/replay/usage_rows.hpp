#pragma once

#include <cstddef>
#include <vector>

#include "apps/output/rows.hpp"
#include "collectives/workload/workload_result.hpp"
#include "sim/workload/link_usage.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::apps {

/// Links of a tier that the critical path of run `row` waits for.
struct CriticalTierRow {
  std::size_t row = 0;
  sim::CriticalTier tier{};
  std::string link{};
  Time total{};  ///< of the run
};
[[nodiscard]] std::vector<CriticalTierRow> critical_tier_rows(const topology::Cluster& cluster,
                                                              const sim::LinkUsage& usage,
                                                              std::size_t row, Time total);
/// row, tier, link, bound_us, share_pct, saved_us, saved_pct.
[[nodiscard]] RowTable tabulate_critical_tiers(const std::vector<CriticalTierRow>& rows);

/// The links of a tier in a part of run `row`.
struct UsageRow {
  std::size_t row = 0;
  sim::TierUsage usage{};
  std::string busiest{};
};
/// In 20 equal parts.
[[nodiscard]] std::vector<UsageRow> usage_rows(const topology::Cluster& cluster,
                                               const sim::LinkUsage& usage, std::size_t row,
                                               Time total);
/// row, begin_us, end_us, tier, direction, max_utilisation, mean_utilisation, busiest.
[[nodiscard]] RowTable tabulate_usage(const std::vector<UsageRow>& rows);

}  // namespace railyard::apps
