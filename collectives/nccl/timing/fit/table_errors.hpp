#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "collectives/nccl/timing/fit/table_predictions.hpp"
#include "core/error_summary.hpp"

namespace railyard::collectives::nccl {

/// The prediction error of a row.
struct RowError {
  std::size_t table = 0;  ///< index into Predictions::tables
  std::int64_t bytes = 0;
  double error_pct = 0;
};

/// The error of every row. A non-empty `replaced` provides the errors instead, by row.
[[nodiscard]] std::vector<RowError> row_errors(const Predictions& predictions,
                                               const std::vector<double>& replaced = {});

/// Errors of one table, or of all tables ("all"): for all sizes, for three ranges of sizes, and
/// below and from 1 MiB.
struct TableError {
  std::string table{}, cluster{};
  core::ErrorSummary all{};
  core::ErrorSummary below_64k{}, to_16m{}, above_16m{};
  core::ErrorSummary below_1m{}, above_1m{};
};

/// One entry per table, and "all" as the last.
[[nodiscard]] std::vector<TableError> table_errors(const Predictions& predictions,
                                                   const std::vector<RowError>& rows);

/// Errors of the rows of one harness; `tables` used it.
struct HarnessError {
  std::size_t tables = 0;
  TableError error{};  ///< its name in `table`
};

/// One entry per harness, in the order of their first tables.
[[nodiscard]] std::vector<HarnessError> harness_errors(const Predictions& predictions,
                                                       const std::vector<RowError>& rows);

}  // namespace railyard::collectives::nccl
