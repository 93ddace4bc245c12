#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

namespace railyard::placement {

/// Cells of a row as text, by column. Objects in a row become "outer.inner", lists "runs.0.step_s".
using MeasuredCells = std::map<std::string, std::string>;

/// The rows of one table of a file.
struct MeasuredRows {
  std::string at{};       ///< "csv", or the JSON pointer of the list of rows
  std::string file{};     ///< name of the file, without its folder
  std::string context{};  ///< texts of all enclosing objects, one per line
  std::vector<MeasuredCells> rows{};
};

/// Reads a file of measured training steps: CSV with a header line ("#" begins a comment), or JSON
/// with a list "rows" of objects, or with lists "rows" of lists and "columns" of names. Throws
/// InputError for a file that cannot be read or has no rows.
[[nodiscard]] std::vector<MeasuredRows> read_measured_rows(const std::string& file);
/// The rows of several files, in order.
[[nodiscard]] std::vector<MeasuredRows> read_measured_rows(std::span<const std::string> files);

/// Whether a file contains measured training steps rather than collectives: CSV whose first line
/// without "#" has column names, or JSON with a key "tables", "mlperf" or "md".
[[nodiscard]] bool holds_training_steps(const std::string& file);

/// Whether a JSON pointer matches a pattern in which * matches one part.
[[nodiscard]] bool pointer_matches(const std::string& pattern, const std::string& pointer);

}  // namespace railyard::placement
