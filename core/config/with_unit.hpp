#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace railyard::core {

/// A number at or above zero with one of the units behind it ("1.5 kW"), times the unit's factor
/// and rounded; none where the text is something else or 9e18 and more.
[[nodiscard]] std::optional<std::int64_t> with_unit(
    std::string_view text, std::span<const std::pair<std::string_view, double>> units);

}  // namespace railyard::core
