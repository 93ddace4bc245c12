#pragma once

#include <vector>

#include "apps/output/rows.hpp"
#include "collectives/nccl/timing/fit/table_errors.hpp"
#include "collectives/nccl/timing/range/range_coverage.hpp"

namespace railyard::apps {

/// A row per measured time with its prediction, for JSON and CSV. `errors` are by row.
[[nodiscard]] RowTable tabulate_validation(const collectives::nccl::Predictions& predictions,
                                           const std::vector<collectives::nccl::RowError>& errors);

/// A row per table, and one for all tables.
[[nodiscard]] RowTable tabulate_table_errors(
    const std::vector<collectives::nccl::TableError>& errors);

/// Adds range_pct to the rows, and inside_pct (the share of rows within their range) to the errors,
/// whose first column is the dataset; "all" contains every row.
void add_ranges(const std::vector<collectives::nccl::RowRange>& ranges, RowTable& rows,
                RowTable& errors);

/// A row per launch mode (harness).
[[nodiscard]] RowTable tabulate_harness_errors(
    const std::vector<collectives::nccl::HarnessError>& errors);

}  // namespace railyard::apps
