#pragma once

#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace railyard::apps::testing {

/// A row of CSV by the names of its columns.
using CsvRow = std::map<std::string, std::string>;

/// The rows of CSV text without quoted commas; its first line holds the names.
inline std::vector<CsvRow> csv_rows(const std::string& text) {
  std::istringstream lines(text);
  std::vector<std::string> names;
  std::vector<CsvRow> rows;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream parts(line);
    std::vector<std::string> cells;
    for (std::string cell; std::getline(parts, cell, ',');) cells.push_back(cell);
    if (names.empty()) {
      names = cells;
      continue;
    }
    CsvRow& row = rows.emplace_back();
    for (std::size_t i = 0; i < names.size() && i < cells.size(); ++i) row[names[i]] = cells[i];
  }
  return rows;
}

}  // namespace railyard::apps::testing
