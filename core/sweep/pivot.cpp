#include "core/sweep/pivot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "core/diagnostic.hpp"

namespace railyard::core::sweep {
namespace {

std::string text_of(const Value& value) {
  return std::visit(
      []<class T>(const T& held) -> std::string {
        if constexpr (std::is_same_v<T, std::monostate>)
          return "-";
        else
          return fmt::format("{}", held);
      },
      value);
}

double number_of(const Value& value, const Table& rows) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  throw InputError("", "--aggregate",
                   fmt::format("'{}' of {} is not a number", text_of(value), rows.columns[2].name),
                   "use count, or filter with --where until one row is left per cell");
}

Value joined(const std::vector<Value>& values, const Table& rows, Aggregate aggregate) {
  if (aggregate == Aggregate::count) return static_cast<std::int64_t>(values.size());
  if (values.size() == 1) return values.front();
  std::vector<double> numbers;
  numbers.reserve(values.size());
  for (const Value& value : values) numbers.push_back(number_of(value, rows));
  std::ranges::sort(numbers);
  const std::size_t middle = numbers.size() / 2;
  switch (aggregate) {
    case Aggregate::least: return numbers.front();
    case Aggregate::most: return numbers.back();
    case Aggregate::median:
      return numbers.size() % 2 == 1 ? numbers[middle]
                                     : (numbers[middle - 1] + numbers[middle]) / 2;
    default:
      return std::accumulate(numbers.begin(), numbers.end(), 0.0) /
             static_cast<double>(numbers.size());
  }
}

/// The index of a value, in the order of first appearance.
std::size_t index_of(const Value& value, std::vector<Value>& seen,
                     std::map<Value, std::size_t>& known) {
  const auto [found, is_new] = known.try_emplace(value, seen.size());
  if (is_new) seen.push_back(value);
  return found->second;
}

}  // namespace

Table pivot(const Table& rows, Aggregate aggregate) {
  std::vector<Value> lines, columns;
  std::map<Value, std::size_t> known_lines, known_columns;
  std::map<std::pair<std::size_t, std::size_t>, std::vector<Value>> cells;
  for (const auto& row : rows.rows)
    cells[{index_of(row[0], lines, known_lines), index_of(row[1], columns, known_columns)}]
        .push_back(row[2]);
  Table table{.kind = "pivot", .columns = {rows.columns[0]}, .rows = {}};
  table.columns.front().joins_heading = false;
  for (const Value& column : columns)
    table.columns.push_back({.name = fmt::format("{}={}", rows.columns[1].name, text_of(column)),
                             .decimals = rows.columns[2].decimals,
                             .is_size = rows.columns[2].is_size});
  for (std::size_t i = 0; i < lines.size(); ++i) {
    auto& line = table.rows.emplace_back(columns.size() + 1);
    line.front() = lines[i];
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const auto found = cells.find({i, j});
      if (found == cells.end()) continue;
      if (found->second.size() > 1 && aggregate == Aggregate::none)
        throw InputError(
            "", "--pivot",
            fmt::format("{} rows have {} {} and {} {}", found->second.size(), rows.columns[0].name,
                        text_of(lines[i]), rows.columns[1].name, text_of(columns[j])),
            "filter with --where COLUMN=VALUE, or join them with --aggregate "
            "min|median|mean|max|count");
      line[j + 1] = joined(found->second, rows, aggregate);
    }
  }
  return table;
}

}  // namespace railyard::core::sweep
