#include "core/power.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "core/config/with_unit.hpp"

namespace railyard::core {
namespace {

/// Milliwatts of a unit.
constexpr std::array<std::pair<std::string_view, double>, 3> kUnits{
    {{"W", 1e3}, {"kW", 1e6}, {"MW", 1e9}}};

}  // namespace

Parsed<Power> parse_power(std::string_view text) {
  if (const auto count = with_unit(text, kUnits)) return {Power::milliwatts(*count), {}};
  return {std::nullopt, fmt::format("'{}' is not a power; write it as '700 W'", text)};
}

std::string power_pattern() { return unit_pattern(kUnits); }

std::string to_text(Power power) { return fmt::format("{} W", power.watts()); }

}  // namespace railyard::core
