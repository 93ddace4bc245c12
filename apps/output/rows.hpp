#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace railyard::apps {

/// One value of a row; nothing is null in JSON, empty in CSV, "-" in tables.
using RowValue = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

/// How a column appears in a table.
struct ColumnStyle {
  int decimals = -1;           ///< of numbers; -1: shortest
  bool is_size = false;        ///< bytes: written as 8K, 512M where that is exact
  bool joins_heading = false;  ///< where all rows have one value, it is said once above the table
  std::string_view before{};   ///< in tables: the column that it stands before
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

template <class Row>
[[nodiscard]] RowTable tabulate(std::span<const Column<Row>> columns, std::span<const Row> rows) {
  RowTable table;
  for (const Column<Row>& column : columns) table.columns.push_back({column.name, column.style});
  for (const Row& row : rows) {
    auto& values = table.rows.emplace_back();
    for (const Column<Row>& column : columns) values.push_back(column.value(row));
  }
  return table;
}

/// Where rows come from: everything that is needed to get them again.
struct Provenance {
  std::string command;
  std::vector<std::pair<std::string, std::string>>
      facts;  ///< "cluster", "nodes", ... as they were meant
  std::vector<std::pair<std::string, std::string>>
      configs;  ///< file or name, and digest of its content
  std::uint64_t seed = 0;
  std::vector<std::string> notes{};  ///< how it was computed
};

/// More rows beside the rows of a result: what the links did, the tiers of a cluster.
struct Section {
  std::string_view name;
  RowTable table;
  bool is_printed = true;  ///< also below the table of the rows, not only in files
};

/// A result file (docs/result-files.md): what kind of rows, where they come from, and what else.
struct ResultDocument {
  std::string_view kind;
  Provenance provenance;
  RowTable rows;
  std::vector<Section> sections{};    ///< those without rows are left out
  std::optional<RowTable> summary{};  ///< printed instead of the rows
};

/// One object, a row per line.
void write_json(const ResultDocument& document, std::ostream& out);
/// A line of names and a line per row (RFC 4180).
void write_csv(const RowTable& table, std::ostream& out);
/// Aligned columns under their names for reading, what all rows share in a line above; columns in
/// which no row has anything are left out.
void write_table(const RowTable& table, std::ostream& out);

/// "8", "4K", "512M", "1G" where exact, else the number of bytes, as nccl-tests writes sizes.
[[nodiscard]] std::string size_text(std::int64_t bytes);

}  // namespace railyard::apps
