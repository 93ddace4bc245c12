#pragma once

#include <span>

#include "apps/output/rows.hpp"
#include "collectives/schedule/measurement.hpp"

namespace railyard::apps {

/// Columns of `railyard sim` (DESIGN section 7), in order.
[[nodiscard]] std::span<const Column<collectives::Measurement>> collective_columns();
/// The same columns, and those of `railyard bench`; rows must have Measurement::live.
[[nodiscard]] std::span<const Column<collectives::Measurement>> bench_columns();

}  // namespace railyard::apps
