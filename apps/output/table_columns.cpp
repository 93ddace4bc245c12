#include "apps/output/table_columns.hpp"

#include <algorithm>
#include <cstddef>

namespace railyard::apps {

RowTable table_of(std::initializer_list<std::string_view> columns) {
  RowTable table;
  for (const std::string_view name : columns) table.columns.push_back({name, {}});
  return table;
}

void add_columns(const RowTable& more, RowTable& table) {
  table.columns.insert(table.columns.end(), more.columns.begin(), more.columns.end());
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    table.rows[i].insert(table.rows[i].end(), more.rows[i].begin(), more.rows[i].end());
}

RowTable columns_of(const RowTable& table, std::initializer_list<std::string_view> names) {
  RowTable some;
  some.rows.resize(table.rows.size());
  for (const std::string_view name : names) {
    const auto found = std::ranges::find(table.columns, name, &Heading::name);
    if (found == table.columns.end()) continue;
    some.columns.push_back(*found);
    const auto column = static_cast<std::size_t>(found - table.columns.begin());
    for (std::size_t r = 0; r < table.rows.size(); ++r)
      some.rows[r].push_back(table.rows[r][column]);
  }
  return some;
}

}  // namespace railyard::apps
