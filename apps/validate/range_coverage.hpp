#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/output/rows.hpp"
#include "collectives/nccl/timing/range/prediction_ranges.hpp"

namespace railyard::apps {

/// The range of a prediction, and whether the measured time is inside.
struct RowRange {
  std::string dataset{};
  std::optional<double> range_pct{};
  std::optional<bool> inside{};
};

/// The shipped ranges for rows: `ratios` are measured over predicted times.
[[nodiscard]] std::vector<RowRange> shipped_ranges(
    std::span<const collectives::nccl::RangeQuery> queries, std::span<const double> ratios,
    const std::vector<std::string>& datasets);

/// Each row with the range of classes made without its own dataset.
[[nodiscard]] std::vector<RowRange> held_back_ranges(
    std::span<const collectives::nccl::Residual> residuals);

/// Adds range_pct to the rows and inside_pct (the part of the rows inside their range) to the
/// errors, whose first column is the dataset; "all" is every row.
void add_ranges(const std::vector<RowRange>& ranges, RowTable& rows, RowTable& errors);

/// Per cent of the rows with a range that are inside; nothing where none has one.
[[nodiscard]] std::optional<double> inside_pct(const std::vector<RowRange>& ranges);

}  // namespace railyard::apps
