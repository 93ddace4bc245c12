#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/config/amount_form.hpp"
#include "core/config/parsed.hpp"

namespace railyard::core {

/// Electrical power: signed integer milliwatts.
class Power {
 public:
  constexpr Power() = default;
  [[nodiscard]] static constexpr Power milliwatts(std::int64_t n) { return Power(n); }
  [[nodiscard]] constexpr std::int64_t milliwatts() const { return milliwatts_; }
  [[nodiscard]] constexpr double watts() const { return static_cast<double>(milliwatts_) / 1e3; }
  friend constexpr auto operator<=>(Power, Power) = default;

 private:
  explicit constexpr Power(std::int64_t milliwatts) : milliwatts_(milliwatts) {}
  std::int64_t milliwatts_ = 0;
};

/// Reads "700 W", "1.2 kW" or "3 MW". A unit is required.
[[nodiscard]] Parsed<Power> parse_power(std::string_view text);
/// The JSON Schema pattern of the texts that parse_power() accepts.
[[nodiscard]] std::string power_pattern();
/// The power in watts, as text.
[[nodiscard]] std::string to_text(Power power);

template <>
struct AmountForm<Power> {
  static constexpr std::string_view what = "a power";
  static constexpr std::string_view example = "700 W";
  static constexpr bool positive = true;
  static constexpr std::string_view amount_unit = " W";
  static std::string pattern() { return power_pattern(); }
  static Parsed<Power> parse(std::string_view text) { return parse_power(text); }
  static std::string print(Power value) { return to_text(value); }
  static double amount(Power value) { return value.watts(); }
};

}  // namespace railyard::core

namespace railyard {
using core::Power;
}
