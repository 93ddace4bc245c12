#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/config/amount_form.hpp"
#include "core/config/parsed.hpp"

namespace railyard::core {

/// A long duration (of a repair, a training run, a machine's life): signed integer milliseconds.
/// `Time` has picoseconds and can represent at most 106 days.
class Duration {
 public:
  constexpr Duration() = default;
  [[nodiscard]] static constexpr Duration milliseconds(std::int64_t n) { return Duration(n); }
  [[nodiscard]] static constexpr Duration seconds(std::int64_t n) { return Duration(n * 1000); }
  [[nodiscard]] static constexpr Duration hours(std::int64_t n) { return seconds(n * 3600); }
  [[nodiscard]] static constexpr Duration days(std::int64_t n) { return hours(n * 24); }
  /// Rounds to the nearest millisecond.
  [[nodiscard]] static Duration from_seconds(double seconds);

  [[nodiscard]] constexpr std::int64_t milliseconds() const { return milliseconds_; }
  [[nodiscard]] constexpr double seconds() const {
    return static_cast<double>(milliseconds_) / 1e3;
  }
  [[nodiscard]] constexpr double hours() const { return seconds() / 3600; }
  [[nodiscard]] constexpr double days() const { return hours() / 24; }
  friend constexpr auto operator<=>(Duration, Duration) = default;

 private:
  explicit constexpr Duration(std::int64_t milliseconds) : milliseconds_(milliseconds) {}
  std::int64_t milliseconds_ = 0;
};

/// A Julian year (365.25 days), the unit of rates per year.
inline constexpr double kSecondsPerYear = 365.25 * 86'400;

/// Reads "200 ms", "90 s", "10 min", "20.4 h", "60 days", "8 weeks" or "5.8 years". A unit is
/// required.
[[nodiscard]] Parsed<Duration> parse_duration(std::string_view text);
/// The JSON Schema pattern of the texts that parse_duration() accepts.
[[nodiscard]] std::string duration_pattern();
/// The duration in the largest unit that represents it exactly.
[[nodiscard]] std::string to_text(Duration duration);

template <>
struct AmountForm<Duration> {
  static constexpr std::string_view what = "a duration";
  static constexpr std::string_view example = "20.4 h";
  static constexpr bool positive = false;
  static constexpr std::string_view amount_unit = " s";
  static std::string pattern() { return duration_pattern(); }
  static Parsed<Duration> parse(std::string_view text) { return parse_duration(text); }
  static std::string print(Duration value) { return to_text(value); }
  static double amount(Duration value) { return value.seconds(); }
};

}  // namespace railyard::core

namespace railyard {
using core::Duration;
}
