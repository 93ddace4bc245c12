#include "core/flop_rate.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "core/config/with_unit.hpp"

namespace railyard::core {
namespace {

constexpr std::array<std::pair<std::string_view, double>, 3> kUnits{
    {{"GFLOP/s", 1e9}, {"TFLOP/s", 1e12}, {"PFLOP/s", 1e15}}};

}  // namespace

Parsed<FlopRate> parse_flop_rate(std::string_view text) {
  if (const auto count = with_unit(text, kUnits)) return {FlopRate::per_second(*count), {}};
  return {std::nullopt,
          fmt::format("'{}' is not a rate of arithmetic; write it as '312 TFLOP/s'", text)};
}

std::string flop_rate_pattern() { return unit_pattern(kUnits); }

std::string to_text(FlopRate rate) {
  return fmt::format("{} TFLOP/s", static_cast<double>(rate.per_second()) / 1e12);
}

}  // namespace railyard::core
