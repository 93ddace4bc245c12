#include "apps/output/range_pct.hpp"

#include <algorithm>

namespace railyard::apps {

void add_range_pct(RowTable& rows, std::string_view by,
                   const std::function<std::optional<double>(std::int64_t)>& range_of) {
  const auto column = std::ranges::find(rows.columns, by, &Heading::name);
  if (column == rows.columns.end()) return;
  const auto index = static_cast<std::size_t>(column - rows.columns.begin());
  rows.columns.push_back({"range_pct", {.decimals = 1}});
  for (auto& row : rows.rows) {
    const auto range = range_of(std::get<std::int64_t>(row[index]));
    row.push_back(range ? RowValue(*range) : RowValue());
  }
}

}  // namespace railyard::apps
