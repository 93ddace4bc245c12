#pragma once

#include <map>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "placement/measured/measured_rows.hpp"
#include "placement/serving/measured/serving_map.hpp"
#include "placement/serving/step/number_format.hpp"

namespace railyard::placement::serving {

/// The rules of a map with compiled regular expressions. Throws InputError for an invalid
/// expression. The map must outlive it.
class RowRules {
 public:
  explicit RowRules(const ServingMap& map);

  /// Applies the rules in order. Returns the reason if the row is left out.
  [[nodiscard]] std::optional<std::string> apply(MeasuredCells& cells) const;

 private:
  struct Rule {
    const ServingRule* rule;
    std::vector<std::pair<std::string, std::regex>> when;
  };
  std::vector<Rule> rules_{};
};

/// A measured row with its model and cluster in configs, and the settings of the rules.
class MappedRow {
 public:
  std::string model{}, cluster{};  ///< names in configs

  explicit MappedRow(MeasuredCells cells) : cells_(std::move(cells)) {}
  /// "" if there is no such column.
  [[nodiscard]] std::string text(const std::string& column) const;
  /// Throws InputError for a text that is not a number.
  [[nodiscard]] double number(const std::string& column, double otherwise) const;
  /// True if the cell has the second of two words, false for the first or an empty cell. Throws
  /// InputError for any other text.
  [[nodiscard]] bool is_second(const std::string& column, std::string_view first,
                               std::string_view second) const;
  /// The number in a column, at least 1: sources write 0 for a dimension that is not used.
  [[nodiscard]] int count(const std::string& column) const;
  /// Throws InputError for a text that is not a format.
  [[nodiscard]] NumberFormat format(const std::string& column, NumberFormat otherwise) const;

 private:
  MeasuredCells cells_;
};

/// The columns of a table that contain the model and the machine.
struct RowNames {
  std::string model{}, machine{};  ///< columns
};

/// Rows, and the numbers of rows that are left out.
struct MappedRows {
  std::vector<MappedRow> rows{};
  std::map<std::string, int> left_out{};  ///< rows by reason

  /// Entries "reason: number of rows".
  [[nodiscard]] std::vector<std::string> reasons() const;
};

/// Rows whose model and cluster are in the map, without those that a rule leaves out.
[[nodiscard]] MappedRows mapped_rows(const ServingMap& map, const RowNames& names,
                                     const std::vector<MeasuredRows>& tables);

/// Kinds of tables of serving measurements, recognised by the column given for each.
enum class ServingTable {
  none,
  runs,      ///< TTFT and TPOT of closed loops: silicon_tpot_ms
  capacity,  ///< highest throughput within limits: result_tokens_per_s
  power      ///< power of prompts and decodes: peak_power_of_tdp
};
/// The kind of a CSV file; `none` for other files.
[[nodiscard]] ServingTable serving_table(const std::string& file);

}  // namespace railyard::placement::serving
