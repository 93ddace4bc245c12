#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace railyard::apps {

/// One value of a row; nothing is null in JSON, empty in CSV, "-" in tables.
using RowValue = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

/// The format of a column in a table.
struct ColumnStyle {
  int decimals = -1;     ///< decimals of numbers; -1: shortest form
  bool is_size = false;  ///< bytes: printed as 8K, 512M if that is exact
  /// if all rows have the same value, it is printed once above the table
  bool joins_heading = false;
  std::string_view before{};  ///< in tables: the column to insert it before
};

/// A column of some kind of row: its name, which is its key in JSON and its heading in CSV.
template <class Row>
struct Column {
  std::string_view name;
  RowValue (*value)(const Row& row);
  ColumnStyle style = {};
};

/// A column without the type of its rows, as the writers need it.
struct Heading {
  std::string_view name;
  ColumnStyle style;
};

/// Rows of any kind, ready to be written.
struct RowTable {
  std::vector<Heading> columns;
  std::vector<std::vector<RowValue>> rows;
};

/// A row per element of `rows` (any range of Row), by `columns` (any range of Column<Row>).
template <std::ranges::sized_range Columns, std::ranges::input_range Rows>
[[nodiscard]] RowTable tabulate(const Columns& columns, const Rows& rows) {
  RowTable table;
  for (const auto& column : columns) table.columns.push_back({column.name, column.style});
  for (const auto& row : rows) {
    auto& values = table.rows.emplace_back();
    for (const auto& column : columns) values.push_back(column.value(row));
  }
  return table;
}

/// The provenance of rows: the inputs needed to reproduce them.
struct Provenance {
  std::string command;
  std::vector<std::pair<std::string, std::string>>
      facts{};  ///< "cluster", "nodes", "timing", ... with the values of this run
  std::vector<std::pair<std::string, std::string>>
      configs{};  ///< file or name, and digest of its content
  std::uint64_t seed = 0;
  std::vector<std::string> notes{};  ///< notes on how the rows were computed
};

/// A further table of a result: link loads, the tiers of a cluster.
struct Section {
  std::string_view name;
  RowTable table;
  bool is_printed = true;  ///< printed below the rows; false: only in files
};

/// A result (docs/result-files.md): rows, their kind and provenance, and further tables.
struct ResultDocument {
  std::string_view kind;
  Provenance provenance;
  std::vector<std::string> answers{};  ///< conclusions in sentences; printed above the rows
  RowTable rows;
  std::vector<Section> sections{};    ///< empty ones are omitted
  std::optional<RowTable> summary{};  ///< printed instead of the rows
};

/// One object, a row per line.
void write_json(const ResultDocument& document, std::ostream& out);
/// A line of names and a line per row (RFC 4180).
void write_csv(const RowTable& table, std::ostream& out);
/// A table with aligned columns. Values that are equal in all rows are in a line above. Columns
/// without values are omitted.
void write_table(const RowTable& table, std::ostream& out);

}  // namespace railyard::apps
