#pragma once

#include <string>
#include <string_view>

#include "core/units.hpp"

namespace railyard::core {

/// How a type is written in configs as text with a unit. Specialise it to use another type (such as
/// Power or Money) as a member of a config struct. Each specialisation has the same members as
/// AmountForm<Bytes>.
template <class T>
struct AmountForm;

template <class T>
concept Amount = requires {
  AmountForm<T>::what;
};

template <>
struct AmountForm<Bytes> {
  static constexpr std::string_view what = "a size";
  static constexpr std::string_view example = "64 KiB";
  static constexpr bool positive = false;  ///< zero is an error (negative values always are)
  static constexpr std::string_view amount_unit = " B";
  static std::string pattern() { return bytes_pattern(); }
  static Parsed<Bytes> parse(std::string_view text) { return parse_bytes(text); }
  static std::string print(Bytes value) { return to_text(value); }
  /// The value in `amount_unit`, to compare it with zero and with the limits of FieldOptions.
  static double amount(Bytes value) { return static_cast<double>(value.count()); }
};

template <>
struct AmountForm<Bandwidth> {
  static constexpr std::string_view what = "a bandwidth";
  static constexpr std::string_view example = "400 Gb/s";
  static constexpr bool positive = true;
  static constexpr std::string_view amount_unit = " b/s";
  static std::string pattern() { return bandwidth_pattern(); }
  static Parsed<Bandwidth> parse(std::string_view text) { return parse_bandwidth(text); }
  static std::string print(Bandwidth value) { return to_text(value); }
  static double amount(Bandwidth value) { return static_cast<double>(value.bits_per_second()); }
};

template <>
struct AmountForm<Time> {
  static constexpr std::string_view what = "a time";
  static constexpr std::string_view example = "2 us";
  static constexpr bool positive = false;
  static constexpr std::string_view amount_unit = " s";
  static std::string pattern() { return time_pattern(); }
  static Parsed<Time> parse(std::string_view text) { return parse_time(text); }
  static std::string print(Time value) { return to_text(value); }
  static double amount(Time value) { return value.seconds(); }
};

}  // namespace railyard::core
