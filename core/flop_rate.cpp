#include "core/flop_rate.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace railyard::core {
namespace {

constexpr std::array<std::pair<std::string_view, double>, 3> kUnits{
    {{"GFLOP/s", 1e9}, {"TFLOP/s", 1e12}, {"PFLOP/s", 1e15}}};

}  // namespace

Parsed<FlopRate> parse_flop_rate(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  for (const auto& [name, factor] : kUnits) {
    // 9e18 is the last whole number below 2^63 with one digit.
    if (error == std::errc() && unit == name && number >= 0 && number * factor < 9e18)
      return {FlopRate::per_second(std::llround(number * factor)), {}};
  }
  return {std::nullopt,
          fmt::format("'{}' is not a rate of arithmetic; write it as '312 TFLOP/s'", text)};
}

std::string to_text(FlopRate rate) {
  return fmt::format("{} TFLOP/s", static_cast<double>(rate.per_second()) / 1e12);
}

}  // namespace railyard::core
