#include "core/duration.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "core/config/with_unit.hpp"

namespace railyard::core {
namespace {

constexpr double kDay = 86'400'000;
/// Milliseconds of a unit.
constexpr std::array<std::pair<std::string_view, double>, 18> kUnits{
    {{"ms", 1},
     {"s", 1e3},
     {"second", 1e3},
     {"seconds", 1e3},
     {"min", 60e3},
     {"minute", 60e3},
     {"minutes", 60e3},
     {"h", 3.6e6},
     {"hour", 3.6e6},
     {"hours", 3.6e6},
     {"d", kDay},
     {"day", kDay},
     {"days", kDay},
     {"w", 7 * kDay},
     {"week", 7 * kDay},
     {"weeks", 7 * kDay},
     {"year", kSecondsPerYear * 1e3},
     {"years", kSecondsPerYear * 1e3}}};

}  // namespace

Duration Duration::from_seconds(double seconds) {
  return Duration(static_cast<std::int64_t>(std::llround(seconds * 1e3)));
}

Parsed<Duration> parse_duration(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  if (const auto count = with_unit(text, kUnits)) return {Duration::milliseconds(*count), {}};
  return {std::nullopt,
          fmt::format("'{}' is not a duration; write it as '10 min' or '60 days'", text)};
}

std::string duration_pattern() { return unit_pattern(kUnits); }

std::string to_text(Duration duration) {
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 4> kNames{
      {{"days", 86'400'000}, {"h", 3'600'000}, {"min", 60'000}, {"s", 1000}}};
  const std::int64_t ms = duration.milliseconds();
  for (const auto& [name, unit] : kNames)
    if (ms != 0 && ms % unit == 0) return fmt::format("{} {}", ms / unit, name);
  return ms == 0 ? "0 s" : fmt::format("{} ms", ms);
}

}  // namespace railyard::core
