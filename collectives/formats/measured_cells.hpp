#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/config/json_value.hpp"

namespace railyard::collectives {

/// A number of a measured table. A cell without value and problem is empty: nothing was measured.
struct MeasuredCell {
  std::optional<double> value{};
  std::string problem{};  ///< "'1X' is not a size (write 1048576 or \"1M\")"
};

/// A size in bytes, from 1 to 2^62: a number, or a text such as "1048576", "1M" or "1 MiB".
[[nodiscard]] MeasuredCell size_cell(std::string_view text);
[[nodiscard]] MeasuredCell size_cell(const core::JsonValue* cell);

/// A time in microseconds, above 0: a number, or a text such as "12.3" or "12.3 us".
[[nodiscard]] MeasuredCell time_cell(std::string_view text);
[[nodiscard]] MeasuredCell time_cell(const core::JsonValue* cell);

}  // namespace railyard::collectives
