#include "core/config/with_unit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <vector>

namespace railyard::core {

std::optional<std::int64_t> with_unit(std::string_view text,
                                      std::span<const std::pair<std::string_view, double>> units) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  for (const auto& [name, factor] : units) {
    // 9e18 is the last whole number below 2^63 with one digit.
    if (unit == name && number >= 0 && number * factor < 9e18) return std::llround(number * factor);
  }
  return std::nullopt;
}

std::string unit_pattern(std::span<const std::string_view> units) {
  return fmt::format("^\\s*([0-9]+\\.?[0-9]*|\\.[0-9]+)\\s*({})\\s*$", fmt::join(units, "|"));
}

std::string unit_pattern(std::span<const std::pair<std::string_view, double>> units) {
  std::vector<std::string_view> names;
  names.reserve(units.size());
  for (const auto& [name, factor] : units) names.push_back(name);
  return unit_pattern(names);
}

}  // namespace railyard::core
