#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/config/amount_form.hpp"
#include "core/config/parsed.hpp"

namespace railyard::core {

/// A span of calendar length (repairs, trainings, lives of machines): signed integer milliseconds.
/// Time has picoseconds and ends at 106 days.
class Duration {
 public:
  constexpr Duration() = default;
  [[nodiscard]] static constexpr Duration milliseconds(std::int64_t n) { return Duration(n); }
  [[nodiscard]] static constexpr Duration seconds(std::int64_t n) { return Duration(n * 1000); }
  [[nodiscard]] static constexpr Duration hours(std::int64_t n) { return seconds(n * 3600); }
  [[nodiscard]] static constexpr Duration days(std::int64_t n) { return hours(n * 24); }
  /// Nearest millisecond.
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

/// A Julian year, by which rates per year are counted.
inline constexpr double kSecondsPerYear = 365.25 * 86'400;

/// "200 ms", "90 s", "10 min", "20.4 h", "60 days", "8 weeks", "5.8 years"; a unit is required.
[[nodiscard]] Parsed<Duration> parse_duration(std::string_view text);
/// The JSON Schema pattern of such texts.
[[nodiscard]] std::string duration_pattern();
/// In the largest unit that keeps it exact.
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
