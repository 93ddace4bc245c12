#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "apps/output/rows.hpp"
#include "core/units.hpp"

namespace railyard::apps {

/// Common column styles: numbers with a fixed number of decimals, and values that are printed once
/// above the table if all rows have the same.
inline constexpr ColumnStyle kWhole{.decimals = 0};
inline constexpr ColumnStyle kTenths{.decimals = 1};
inline constexpr ColumnStyle kHundredths{.decimals = 2};
inline constexpr ColumnStyle kThousandths{.decimals = 3};
inline constexpr ColumnStyle kShared{.joins_heading = true};

/// The value; nothing if it is missing or not finite.
[[nodiscard]] inline RowValue if_finite(double value) {
  return std::isfinite(value) ? RowValue(value) : RowValue();
}
[[nodiscard]] inline RowValue if_known(const std::optional<double>& value) {
  return value ? if_finite(*value) : RowValue();
}
template <class T>
[[nodiscard]] RowValue if_known(const std::optional<T>& value) {
  return value ? RowValue(*value) : RowValue();
}
/// The value; nothing if it is 0 or negative, which stands for an unknown one.
template <class T>
[[nodiscard]] RowValue if_positive(T value) {
  return value > 0 ? RowValue(value) : RowValue();
}
/// The text, or nothing for an empty one.
[[nodiscard]] inline RowValue text_or_nothing(std::string text) {
  return text.empty() ? RowValue() : RowValue(std::move(text));
}
[[nodiscard]] inline RowValue microseconds(Time time) { return time.microseconds(); }
[[nodiscard]] inline RowValue microseconds(const std::optional<Time>& time) {
  return time ? microseconds(*time) : RowValue();
}
[[nodiscard]] inline RowValue whole_number(std::uint64_t number) {
  return static_cast<std::int64_t>(number);
}
/// 100 part / whole; nothing if `whole` is 0.
[[nodiscard]] inline RowValue percent_of(Time part, Time whole) {
  return whole == Time() ? RowValue() : RowValue(100 * part.seconds() / whole.seconds());
}

}  // namespace railyard::apps
