#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <unistd.h>

#include "apps/output/rows.hpp"
#include "apps/output/table_stream.hpp"
#include "core/size_text.hpp"

namespace railyard::apps {
namespace {

std::string text_of(const RowValue& value, const ColumnStyle& style) {
  if (const auto* number = std::get_if<double>(&value)) {
    return style.decimals < 0 ? fmt::format("{}", *number)
                              : fmt::format("{:.{}f}", *number, style.decimals);
  }
  if (const auto* count = std::get_if<std::int64_t>(&value)) {
    return style.is_size ? core::size_text(*count) : fmt::format("{}", *count);
  }
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "yes" : "no";
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr || text->empty() ? "-" : *text;
}

bool is_number(const RowValue& value) {
  return std::holds_alternative<double>(value) || std::holds_alternative<std::int64_t>(value);
}

bool is_empty(const RowTable& table, std::size_t column) {
  return std::ranges::all_of(table.rows, [&](const auto& row) {
    const auto* text = std::get_if<std::string>(&row[column]);
    return std::holds_alternative<std::monostate>(row[column]) ||
           (text != nullptr && text->empty());
  });
}

bool has_one_value(const RowTable& table, std::size_t column) {
  return std::ranges::all_of(
      table.rows, [&](const auto& row) { return row[column] == table.rows.front()[column]; });
}

/// A column as it will be printed.
struct Printed {
  std::vector<std::string> cells;  ///< the name, then the rows
  std::size_t width = 0;
  bool right = false;
};

Printed printed(const RowTable& table, std::size_t column) {
  Printed result;
  result.cells.emplace_back(table.columns[column].name);
  for (const auto& row : table.rows) {
    result.cells.push_back(text_of(row[column], table.columns[column].style));
    result.right = result.right || is_number(row[column]);
  }
  for (const std::string& cell : result.cells) result.width = std::max(result.width, cell.size());
  return result;
}

std::string padded(const std::string& cell, std::size_t width, bool right) {
  return right ? fmt::format("{:>{}}", cell, width) : fmt::format("{:<{}}", cell, width);
}

void write_line(const std::vector<Printed>& columns, std::size_t line, std::ostream& out) {
  std::string text;
  for (const Printed& column : columns) {
    if (!text.empty()) text += "  ";
    text += padded(column.cells[line], column.width, column.right);
  }
  text.erase(text.find_last_not_of(' ') + 1);
  out << text << '\n';
}

/// Columns in the order of the table.
std::vector<std::size_t> table_order(const RowTable& table) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const auto place = std::ranges::find_if(order, [&](std::size_t j) {
      return table.columns[j].name == table.columns[i].style.before;
    });
    order.insert(place, i);
  }
  return order;
}

}  // namespace

void write_table(const RowTable& table, std::ostream& out) {
  if (table.rows.empty()) return;
  std::string shared;
  std::vector<Printed> columns;
  for (const std::size_t i : table_order(table)) {
    const Heading& heading = table.columns[i];
    if (is_empty(table, i)) continue;
    if (!heading.style.joins_heading || !has_one_value(table, i)) {
      columns.push_back(printed(table, i));
      continue;
    }
    if (!shared.empty()) shared += ", ";
    shared += fmt::format("{} {}", heading.name, text_of(table.rows.front()[i], heading.style));
  }
  if (!shared.empty()) out << "# " << shared << '\n';
  for (std::size_t line = 0; line <= table.rows.size(); ++line) write_line(columns, line, out);
}

bool TableStream::is_on_terminal() const {
  return out_.rdbuf() == std::cout.rdbuf() && isatty(STDOUT_FILENO) == 1;
}

void TableStream::add(const RowTable& row) {
  constexpr std::size_t kRoom = 12;
  std::string shared, names, values;
  const bool is_first = columns_.empty();
  for (const std::size_t i : is_first ? table_order(row) : std::vector<std::size_t>()) {
    const Heading& heading = row.columns[i];
    if (apps::is_empty(row, i)) continue;
    if (!heading.style.joins_heading) {
      const std::string cell = text_of(row.rows.front()[i], heading.style);
      const bool right = is_number(row.rows.front()[i]);
      columns_.push_back({i, std::max({heading.name.size(), cell.size(), kRoom}), right});
      continue;
    }
    shared += fmt::format("{}{} {}", shared.empty() ? "# " : ", ", heading.name,
                          text_of(row.rows.front()[i], heading.style));
  }
  for (const Printed& column : columns_) {
    const Heading& heading = row.columns[column.column];
    const char* const space = values.empty() ? "" : "  ";
    names += space + padded(std::string(heading.name), column.width, column.right);
    values += space + padded(text_of(row.rows.front()[column.column], heading.style), column.width,
                             column.right);
  }
  const auto print = [&](std::string& line) {
    line.erase(line.find_last_not_of(' ') + 1);
    out_ << line << '\n';
  };
  if (is_first && !shared.empty()) print(shared);
  if (is_first) print(names);
  print(values);
  out_.flush();
}

}  // namespace railyard::apps
