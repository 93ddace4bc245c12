#pragma once

#include <string>

#include "core/sweep/outcome.hpp"

namespace railyard::core::sweep {

/// The value of a cell with several rows; `none`: an error.
enum class Aggregate { none, least, median, mean, most, count };

/// Pivots a table of three columns (row, column, value): a line for each value of the first and a
/// column "NAME=VALUE" for each value of the second, in order of first appearance. Cells without a
/// row are empty. Throws InputError for --pivot if a cell has several rows and there is no
/// aggregate, or if they are not numbers.
[[nodiscard]] Table pivot(const Table& rows, Aggregate aggregate);

}  // namespace railyard::core::sweep
