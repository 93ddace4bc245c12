#pragma once

#include <cstddef>
#include <vector>

#include "apps/output/rows.hpp"
#include "collectives/workload/workload_result.hpp"
#include "sim/workload/link_usage.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::apps {

/// The links of a tier on the critical path of run `row`.
struct CriticalTierRow {
  std::size_t row = 0;
  sim::CriticalTier tier{};
  std::string link{};
  Time total{};  ///< total time of the run
};
/// One row per tier with links on the critical path.
[[nodiscard]] std::vector<CriticalTierRow> critical_tier_rows(const topology::Cluster& cluster,
                                                              const sim::LinkUsage& usage,
                                                              std::size_t row, Time total);
/// Rows with the columns row, tier, link, bound_us, share_pct, saved_us, saved_pct.
[[nodiscard]] RowTable tabulate_critical_tiers(const std::vector<CriticalTierRow>& rows);

/// The load of a tier's links in one interval of run `row`.
struct UsageRow {
  std::size_t row = 0;
  sim::TierUsage usage{};
  std::string busiest{};
};
/// Loads in 20 equal intervals of a run.
[[nodiscard]] std::vector<UsageRow> usage_rows(const topology::Cluster& cluster,
                                               const sim::LinkUsage& usage, std::size_t row,
                                               Time total);
/// Rows with the columns row, begin_us, end_us, tier, direction, max_utilisation, mean_utilisation,
/// busiest.
[[nodiscard]] RowTable tabulate_usage(const std::vector<UsageRow>& rows);

}  // namespace railyard::apps
