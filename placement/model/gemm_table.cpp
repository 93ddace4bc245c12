#include "placement/model/gemm_table.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <vector>

#include "core/config/csv_table.hpp"
#include "core/config/text_file.hpp"
#include "core/diagnostic.hpp"

namespace railyard::placement {
namespace {

/// Column indices of m, n, k and ms, and the number of columns.
struct Columns {
  std::size_t m, n, k, ms, count;
};

Columns columns_of(std::string_view heading, const std::string& file) {
  const auto cells = core::plain_csv_cells(heading);
  const auto find = [&](std::string_view name) {
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (cells[i] == name) return i;
    throw InputError(file, "line 1", fmt::format("there is no column '{}'", name), "m,n,k,ms");
  };
  return {find("m"), find("n"), find("k"), find("ms"), cells.size()};
}

double number(std::string_view cell, const std::string& file, std::size_t line) {
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size() || !(value > 0))
    throw InputError(file, fmt::format("line {}", line),
                     fmt::format("'{}' is not a number above zero", cell));
  return value;
}

}  // namespace

GemmTable GemmTable::read(const std::string& file) {
  const std::string text = core::read_text_file(file);
  GemmTable table;
  std::optional<Columns> columns;
  std::string_view rest = text;
  for (std::size_t line = 1; !rest.empty(); ++line) {
    const std::size_t end = rest.find('\n');
    const std::string_view row = rest.substr(0, end);
    rest = end == rest.npos ? std::string_view() : rest.substr(end + 1);
    if (row.starts_with('#')) continue;
    if (!columns) {
      columns = columns_of(row, file);
      continue;
    }
    if (row.empty()) continue;
    const auto cells = core::plain_csv_cells(row);
    if (cells.size() != columns->count)
      throw InputError(
          file, fmt::format("line {}", line),
          fmt::format("has {} cells, but the heading has {}", cells.size(), columns->count));
    const auto whole = [&](std::size_t at) {
      const double value = number(cells[at], file, line);
      if (value != std::floor(value) || value > 1e9)
        throw InputError(file, fmt::format("line {}", line),
                         fmt::format("'{}' is not a whole number", cells[at]));
      return static_cast<std::int64_t>(value);
    };
    table.times_[{whole(columns->m), whole(columns->n), whole(columns->k)}] =
        Time::from_seconds(number(cells[columns->ms], file, line) / 1e3);
  }
  return table;
}

std::optional<Time> GemmTable::find(std::int64_t m, std::int64_t n, std::int64_t k) const {
  const auto at = times_.find({m, n, k});
  return at == times_.end() ? std::nullopt : std::optional(at->second);
}

}  // namespace railyard::placement
