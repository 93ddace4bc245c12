#include "core/power.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace railyard::core {
namespace {

/// Milliwatts of a unit.
constexpr std::array<std::pair<std::string_view, double>, 3> kUnits{
    {{"W", 1e3}, {"kW", 1e6}, {"MW", 1e9}}};

}  // namespace

Parsed<Power> parse_power(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  for (const auto& [name, factor] : kUnits) {
    // 9e18 is the last whole number below 2^63 with one digit.
    if (error == std::errc() && unit == name && number >= 0 && number * factor < 9e18)
      return {Power::milliwatts(std::llround(number * factor)), {}};
  }
  return {std::nullopt, fmt::format("'{}' is not a power; write it as '700 W'", text)};
}

std::string to_text(Power power) { return fmt::format("{} W", power.watts()); }

}  // namespace railyard::core
