#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace railyard::core {

/// Reads a non-negative number followed by a unit ("1.5 kW"). Returns the number times the factor
/// of the unit, rounded to an integer. Returns nothing if the text has another form or the result
/// is 9e18 or more.
[[nodiscard]] std::optional<std::int64_t> with_unit(
    std::string_view text, std::span<const std::pair<std::string_view, double>> units);

/// The JSON Schema pattern of a non-negative number followed by one of the units.
[[nodiscard]] std::string unit_pattern(std::span<const std::string_view> units);
/// The same for a table of units and factors.
[[nodiscard]] std::string unit_pattern(std::span<const std::pair<std::string_view, double>> units);

}  // namespace railyard::core
