#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "apps/output/rows.hpp"
#include "collectives/workload/workload.hpp"
#include "collectives/workload/workload_result.hpp"

namespace railyard::apps {

/// Result of a workload on live ranks.
struct WorkloadRow {
  std::string workload, backend;
  std::uint32_t ranks = 0;
  std::uint64_t seed = 1;
  Time least{}, p50{}, p99{}, skew{};
  std::int64_t wrong = 0;
  std::optional<Time> predicted{};
};

/// Rows with the columns workload, backend, ranks, seed, time_us, min_us, p50_us, p99_us, skew_us,
/// wrong, predicted_us, error_pct (of the median).
[[nodiscard]] RowTable tabulate_workload(std::span<const WorkloadRow> rows);

/// A row for each role and kind of operation: the times on the rank of the role that ends last, in
/// the live run and predicted.
[[nodiscard]] RowTable tabulate_kinds(const collectives::Workload& workload,
                                      const collectives::WorkloadRun& live,
                                      const std::optional<collectives::WorkloadRun>& predicted);

}  // namespace railyard::apps
