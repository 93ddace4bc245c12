#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace railyard::core {

/// A row of a CSV file: its line in the file (from 1), and a cell per column of the head.
struct CsvRow {
  std::size_t line = 0;
  std::vector<std::string> cells{};
};

/// A CSV file (RFC 4180) whose first line has the names of the columns. Empty lines and lines that
/// begin with '#' are left out.
struct CsvTable {
  std::vector<std::string> columns{};
  std::vector<CsvRow> rows{};
};

/// The columns that a reader accepts.
struct CsvColumns {
  std::span<const std::string_view> required, optional;
};

/// Reads a text; `name` is the file name in messages. Throws InputError with all of these: a column
/// that is missing, unknown or there twice, and a line with another number of cells than the head.
[[nodiscard]] CsvTable parse_csv(const std::string& name, std::string_view text,
                                 const CsvColumns& columns);

/// The cells of a line. A cell in double quotes may contain commas and doubled quotes, but no line
/// end.
[[nodiscard]] std::vector<std::string> csv_cells(std::string_view line);

/// The cells of a line of numbers and names without quotes, such as a trace of millions of
/// requests; blanks around a cell and a carriage return at the end are left out. Views into `line`.
[[nodiscard]] std::vector<std::string_view> plain_csv_cells(std::string_view line);

}  // namespace railyard::core
