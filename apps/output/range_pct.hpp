#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "apps/output/rows.hpp"

namespace railyard::apps {

/// Adds the column range_pct: `range_of` of the whole number that each row has in the column `by`.
/// Rows without that column stay as they are.
void add_range_pct(RowTable& rows, std::string_view by,
                   const std::function<std::optional<double>(std::int64_t)>& range_of);

}  // namespace railyard::apps
