#include "collectives/formats/measured_cells.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <variant>

#include "collectives/formats/json_members.hpp"
#include "core/units.hpp"

namespace railyard::collectives {
namespace {

using core::JsonValue;

std::optional<double> plain_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kMostLetters = 40;
  return text.size() > kMostLetters ? fmt::format("'{}...'", text.substr(0, kMostLetters))
                                    : fmt::format("'{}'", text);
}

MeasuredCell checked_size(std::optional<double> bytes, std::string_view text) {
  // 2^62 bytes: more than any measurement, and the sum of two such values does not overflow.
  if (bytes && *bytes >= 1 && *bytes <= 0x1p62) return {.value = bytes};
  return {.problem = quoted(text) + " is not a size (write 1048576 or \"1M\")"};
}

MeasuredCell checked_time(std::optional<double> microseconds, std::string_view text) {
  if (microseconds && *microseconds > 0 && std::isfinite(*microseconds))
    return {.value = microseconds};
  return {.problem = quoted(text) + " is not a time (write 12.3, in microseconds, or \"12.3 us\")"};
}

bool is_empty(const JsonValue* cell) { return cell == nullptr || cell->is_null(); }

}  // namespace

MeasuredCell size_cell(std::string_view text) {
  if (const auto number = plain_number(text)) return checked_size(number, text);
  const core::Parsed<Bytes> size = core::parse_size(text);
  return checked_size(
      size.value ? std::optional(static_cast<double>(size.value->count())) : std::nullopt, text);
}

MeasuredCell size_cell(const JsonValue* cell) {
  if (is_empty(cell)) return {};
  if (const auto* text = std::get_if<std::string>(&cell->data)) return size_cell(*text);
  return checked_size(number_of(*cell), core::to_text(*cell));
}

MeasuredCell time_cell(std::string_view text) {
  if (const auto number = plain_number(text)) return checked_time(number, text);
  const core::Parsed<Time> time = core::parse_time(text);
  return checked_time(time.value ? std::optional(time.value->seconds() * 1e6) : std::nullopt, text);
}

MeasuredCell time_cell(const JsonValue* cell) {
  if (is_empty(cell)) return {};
  if (const auto* text = std::get_if<std::string>(&cell->data)) return time_cell(*text);
  return checked_time(number_of(*cell), core::to_text(*cell));
}

}  // namespace railyard::collectives
