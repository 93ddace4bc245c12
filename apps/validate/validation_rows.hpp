#pragma once

#include <vector>

#include "apps/output/rows.hpp"
#include "apps/validate/errors.hpp"
#include "apps/validate/predicted.hpp"

namespace railyard::apps {

/// The error of every row; where `instead` is not empty, its values count (by row).
[[nodiscard]] std::vector<RowError> row_errors(const Judged& judged,
                                               const std::vector<double>& instead);

/// A row per measured time with its prediction, for JSON and CSV. `errors` as in row_errors.
[[nodiscard]] RowTable tabulate_validation(const Judged& judged, const std::vector<double>& errors);

}  // namespace railyard::apps
