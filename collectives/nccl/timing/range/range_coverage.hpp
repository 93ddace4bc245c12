#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collectives/nccl/timing/range/prediction_ranges.hpp"

namespace railyard::collectives::nccl {

/// The 80 % range of a prediction, and whether the measured time is inside. Both are empty if no
/// class covers the prediction.
struct RowRange {
  std::string dataset{};
  std::optional<double> range_pct{};
  std::optional<bool> inside{};
};

/// The range of one row; `ratio` is measured over predicted time. Inside: |ratio - 1| is at most
/// the range.
[[nodiscard]] RowRange row_range(std::span<const RangeClass> classes, const RangeQuery& query,
                                 double ratio, std::string dataset);

/// The range of each residual, from classes that exclude its own dataset.
[[nodiscard]] std::vector<RowRange> held_back_ranges(std::span<const Residual> residuals);

/// The share of the rows with a range that are inside, in per cent; nothing if no row has a range.
[[nodiscard]] std::optional<double> inside_pct(std::span<const RowRange> ranges);
/// The same by dataset.
[[nodiscard]] std::map<std::string, std::optional<double>> inside_by_dataset(
    std::span<const RowRange> ranges);

/// Coverage of ranges of one kind that were made without each dataset in turn.
struct HeldBackCoverage {
  RangeOf of = RangeOf::collective;
  std::size_t rows = 0;
  double inside_pct = 0;
  /// Within 5 of the 80 % that ranges aim at.
  [[nodiscard]] bool is_near() const { return inside_pct >= 75 && inside_pct <= 85; }
};
/// Of each kind that has ranges, in the order of RangeOf.
[[nodiscard]] std::vector<HeldBackCoverage> held_back_coverage(std::span<const Residual> residuals);

}  // namespace railyard::collectives::nccl
