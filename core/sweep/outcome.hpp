#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace railyard::core::sweep {

/// A value of a result row.
using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

/// A column of result rows and its format in tables.
struct Column {
  std::string name;
  int decimals = -1;     ///< decimals of numbers; -1: shortest form
  bool is_size = false;  ///< bytes: 8K, 512M
  /// if all rows have the same value, it is printed once above the table
  bool joins_heading = false;
  bool operator==(const Column&) const = default;
};

/// Rows of one kind: "sim", "strategies".
struct Table {
  std::string kind;
  std::vector<Column> columns;
  std::vector<std::vector<Value>> rows;
  bool operator==(const Table&) const = default;
};

/// The result of a point.
struct Outcome {
  int exit_code = 0;
  std::string error;  ///< "": none
  std::string notes;  ///< one per line
  double seconds = 0;
  std::vector<Table> tables;
  /// A finding (exit code 1) is a result.
  [[nodiscard]] bool has_failed() const { return exit_code > 1; }
  bool operator==(const Outcome&) const = default;
};

/// Conversion to JSON and back, for another process. Numbers are exact; infinities and NaN become
/// empty, and bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string to_text(const Outcome& outcome);
[[nodiscard]] Outcome outcome_of(std::string_view text);

}  // namespace railyard::core::sweep
