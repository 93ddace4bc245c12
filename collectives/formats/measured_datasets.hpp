#pragma once

#include <vector>

#include "collectives/formats/measured_table.hpp"
#include "core/config/json_value.hpp"

namespace railyard::collectives {

/// A collection of tables: {"datasets": [{"id", "source", "collective", "gpu", "intra", "inter",
/// "n_ranks", "columns", "rows", ...}]}. Columns are found by name ("size_B", "time_us", "dtype",
/// "op", ...); configs/validation/measured/collectives.jsonc is such a file.
[[nodiscard]] std::vector<MeasuredTable> measured_datasets(const core::JsonValue& root);

}  // namespace railyard::collectives
