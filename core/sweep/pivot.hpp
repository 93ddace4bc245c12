#pragma once

#include <string>

#include "core/sweep/outcome.hpp"

namespace railyard::core::sweep {

/// What a cell shows where several rows fall into it; `none`: that is an error.
enum class Aggregate { none, least, median, mean, most, count };

/// Turns a table of three columns (row, column, value) around: a line per value of the first, a
/// column "NAME=VALUE" per value of the second, in the order in which they first appear. Cells
/// without a row are empty. Throws InputError that names --pivot where several rows fall into a
/// cell and nothing says how to join them, or where they are not numbers.
[[nodiscard]] Table pivot(const Table& rows, Aggregate aggregate);

}  // namespace railyard::core::sweep
