#include "core/config/csv_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/diagnostic.hpp"
#include "core/trimmed.hpp"

namespace railyard::core {
namespace {

void check_head(const std::vector<std::string>& head, std::size_t line, const CsvColumns& columns,
                Diagnostics& problems) {
  std::vector<std::string_view> known(columns.required.begin(), columns.required.end());
  known.insert(known.end(), columns.optional.begin(), columns.optional.end());
  const std::string at = fmt::format("line {}", line);
  for (auto name = head.begin(); name != head.end(); ++name) {
    if (std::ranges::find(known, *name) == known.end())
      problems.add(at, fmt::format("there is no column '{}'", *name), did_you_mean(*name, known));
    if (std::find(head.begin(), name, *name) != name)
      problems.add(at, fmt::format("column '{}' appears twice", *name));
  }
  for (const std::string_view name : columns.required)
    if (std::ranges::find(head, name) == head.end())
      problems.add(at, fmt::format("column '{}' is missing", name),
                   fmt::format("required: {}", fmt::join(columns.required, ", ")));
}

}  // namespace

std::vector<std::string> csv_cells(std::string_view line) {
  std::vector<std::string> cells(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && is_quoted && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += c;
      ++i;
    } else if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == ',' && !is_quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

CsvTable parse_csv(const std::string& name, std::string_view text, const CsvColumns& columns) {
  CsvTable table;
  Diagnostics problems(name);
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with('#')) continue;
    std::vector<std::string> cells = csv_cells(line);
    if (table.columns.empty()) {
      table.columns = std::move(cells);
      check_head(table.columns, number, columns, problems);
      problems.throw_if_any();
    } else if (cells.size() != table.columns.size()) {
      problems.add(
          fmt::format("line {}", number),
          fmt::format("has {} cells, the head has {} columns", cells.size(), table.columns.size()));
    } else {
      table.rows.push_back({.line = number, .cells = std::move(cells)});
    }
  }
  if (table.columns.empty())
    problems.add("", "is empty", "the first line has the names of the columns");
  problems.throw_if_any();
  return table;
}

std::vector<std::string_view> plain_csv_cells(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t at = 0;;) {
    const std::size_t comma = line.find(',', at);
    cells.push_back(trimmed(line.substr(at, comma - at), " \t\r"));
    if (comma == line.npos) return cells;
    at = comma + 1;
  }
}

}  // namespace railyard::core
