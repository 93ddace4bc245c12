#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace railyard::apps {

/// The text of a cell, and its number if it is one.
struct Cell {
  std::string text;
  std::optional<double> number;
};

/// The load of the links of one tier in one row (docs/result-files.md). Utilisation is from 0 to 1.
struct TierLoad {
  std::size_t row = 0;
  std::string tier;        ///< "port", "leaf-spine", ...
  std::string direction;   ///< "up", "down" or ""
  std::optional<int> pod;  ///< not set: the whole tier
  double links = 0;
  double max_utilisation = 0;
  double mean_utilisation = 0;
  std::string busiest;
};

/// Rows under named columns.
struct ResultSection {
  std::vector<std::string> columns;     ///< in the order of their first appearance
  std::vector<std::vector<Cell>> rows;  ///< as wide as columns

  /// Index of a column; empty if there is none.
  [[nodiscard]] std::optional<std::size_t> column(std::string_view name) const;
  /// The cell of a row; nullptr if the column is missing or the cell is empty.
  [[nodiscard]] const Cell* cell(std::size_t row, std::string_view column_name) const;
  /// The number in a cell; empty if it is not a number.
  [[nodiscard]] std::optional<double> number(std::size_t row, std::string_view column_name) const;
  /// The text of a cell; "" if it is missing.
  [[nodiscard]] std::string text(std::size_t row, std::string_view column_name) const;
};

/// A result file of any command: rows under named columns, their provenance, link loads, and other
/// sections.
struct ResultFile : ResultSection {
  std::string path;
  std::string version;
  std::string kind;  ///< "sim", "bench", "explain", "regress", ...
  std::vector<std::pair<std::string, std::string>>
      provenance;                    ///< in file order, nested keys joined by "."
  std::vector<std::string> answers;  ///< the command's conclusions in sentences
  std::vector<TierLoad> links;

  std::vector<std::pair<std::string, ResultSection>> sections;  ///< other lists of rows, by name

  /// The section of that name; nullptr if there is none.
  [[nodiscard]] const ResultSection* section(std::string_view name) const;
  /// The value of a key of the provenance; "" if there is none.
  [[nodiscard]] std::string provenance_of(std::string_view key) const;
};

/// Reads a result file. Throws InputError with every problem (not JSON, no rows, a link entry for a
/// row that does not exist).
[[nodiscard]] ResultFile read_result_file(const std::string& path);
/// The same from text. `name` is used as the file name in messages.
[[nodiscard]] ResultFile parse_result_file(const std::string& name, std::string_view text);

/// Whether `railyard validate` wrote the file.
[[nodiscard]] bool is_validation(const ResultFile& file);

}  // namespace railyard::apps
