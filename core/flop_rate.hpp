#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/config/amount_form.hpp"
#include "core/config/parsed.hpp"

namespace railyard::core {

/// A rate of arithmetic: signed integer floating-point operations per second. A multiply-add counts
/// as two operations.
class FlopRate {
 public:
  constexpr FlopRate() = default;
  [[nodiscard]] static constexpr FlopRate per_second(std::int64_t n) { return FlopRate(n); }
  [[nodiscard]] constexpr std::int64_t per_second() const { return per_second_; }
  friend constexpr auto operator<=>(FlopRate, FlopRate) = default;

 private:
  explicit constexpr FlopRate(std::int64_t per_second) : per_second_(per_second) {}
  std::int64_t per_second_ = 0;
};

/// Reads "312 TFLOP/s", "1979.5 TFLOP/s" or "2 PFLOP/s". A unit is required.
[[nodiscard]] Parsed<FlopRate> parse_flop_rate(std::string_view text);
/// The JSON Schema pattern of the texts that parse_flop_rate() accepts.
[[nodiscard]] std::string flop_rate_pattern();
/// The rate in TFLOP/s, as text.
[[nodiscard]] std::string to_text(FlopRate rate);

template <>
struct AmountForm<FlopRate> {
  static constexpr std::string_view what = "a rate of arithmetic";
  static constexpr std::string_view example = "312 TFLOP/s";
  static constexpr bool positive = true;
  static constexpr std::string_view amount_unit = " FLOP/s";
  static std::string pattern() { return flop_rate_pattern(); }
  static Parsed<FlopRate> parse(std::string_view text) { return parse_flop_rate(text); }
  static std::string print(FlopRate value) { return to_text(value); }
  static double amount(FlopRate value) { return static_cast<double>(value.per_second()); }
};

}  // namespace railyard::core

namespace railyard {
using core::FlopRate;
}
