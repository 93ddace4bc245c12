#pragma once

#include <string>
#include <string_view>

#include "collectives/nccl/timing/range/prediction_ranges.hpp"

namespace railyard::collectives::nccl {

/// The name in configs/ranges of those that predictions use.
inline constexpr std::string_view kShippedRanges = "measured";

/// Reads a file of ranges: a path, or a name in configs/ranges. Throws InputError.
[[nodiscard]] PredictionRanges read_prediction_ranges(const std::string& reference);
[[nodiscard]] std::string write_prediction_ranges(const PredictionRanges& ranges);

}  // namespace railyard::collectives::nccl
