#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

namespace railyard::placement {

/// Cells of a row as text, by column; objects inside a row are written "outer.inner", lists
/// "runs.0.step_s".
using MeasuredCells = std::map<std::string, std::string>;

/// Rows under one place of a file.
struct MeasuredRows {
  std::string at{};       ///< "csv", or the pointer of the list of rows
  std::string file{};     ///< name of the file, without its folder
  std::string context{};  ///< texts of everything above the rows, a line each
  std::vector<MeasuredCells> rows{};
};

/// Reads a file of measured training steps: CSV with a line of names ("#" begins a comment), or
/// JSON with lists "rows" of objects, or of lists beside a list "columns". Throws InputError for a
/// file that cannot be read, or with no rows.
[[nodiscard]] std::vector<MeasuredRows> read_measured_rows(const std::string& file);
/// Those of several files, one after the other.
[[nodiscard]] std::vector<MeasuredRows> read_measured_rows(std::span<const std::string> files);

/// Whether a file has measured training steps and not collectives: CSV whose first line (after
/// comments, "#") has column names, or JSON with one of "tables", "mlperf", "md".
[[nodiscard]] bool holds_training_steps(const std::string& file);

/// Whether a pointer matches a pattern in which * matches one part.
[[nodiscard]] bool pointer_matches(const std::string& pattern, const std::string& pointer);

}  // namespace railyard::placement
