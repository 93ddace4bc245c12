#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/output/rows.hpp"
#include "apps/validate/predicted.hpp"

namespace railyard::apps {

/// Errors of predictions in per cent of what was measured.
struct ErrorSummary {
  std::size_t rows = 0;
  double median_abs = 0, mean_abs = 0;
  double bias = 0;  ///< median of the signed errors: above 0 where predictions are too long
};

/// Of signed errors in per cent; all zero of none.
[[nodiscard]] ErrorSummary summarise(std::vector<double> errors);

/// A row as it is judged, with its error.
struct RowError {
  std::size_t table = 0;
  std::int64_t bytes = 0;
  double error_pct = 0;
};

/// Error of one table, or of all ("all"): of all sizes, below 64 KiB, up to 16 MiB, above, and on
/// either side of 1 MiB.
struct TableError {
  std::string table{}, cluster{};
  ErrorSummary all{}, small{}, middle{}, large{}, below_1m{}, above_1m{};
};

/// A line per table of `judged` and the line "all" as the last.
[[nodiscard]] std::vector<TableError> table_errors(const Judged& judged,
                                                   const std::vector<RowError>& rows);

[[nodiscard]] RowTable tabulate_table_errors(const std::vector<TableError>& errors);

}  // namespace railyard::apps
