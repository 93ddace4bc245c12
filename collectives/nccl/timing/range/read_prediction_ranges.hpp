#pragma once

#include <string>
#include <string_view>

#include "collectives/nccl/timing/range/prediction_ranges.hpp"

namespace railyard::collectives::nccl {

/// The shipped ranges that predictions use: a name in configs/ranges.
inline constexpr std::string_view kShippedRanges = "measured";

/// Reads a file of ranges: a path, or a name in configs/ranges. Throws InputError.
[[nodiscard]] PredictionRanges read_prediction_ranges(const std::string& reference);
[[nodiscard]] std::string write_prediction_ranges(const PredictionRanges& ranges);

}  // namespace railyard::collectives::nccl
