#include "core/config/with_unit.hpp"

#include <charconv>
#include <cmath>

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

}  // namespace railyard::core
