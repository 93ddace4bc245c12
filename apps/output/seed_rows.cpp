#include "apps/output/seed_rows.hpp"

#include "apps/output/collective_rows.hpp"

namespace railyard::apps {

RowTable tabulate_seeds(const std::vector<collectives::SeedSpread>& rows) {
  RowTable table;
  for (const auto& column : collective_columns())
    table.columns.push_back({column.name, column.style});
  for (const Heading& heading :
       {Heading{"seeds", {.joins_heading = true}}, Heading{"min_us", {.decimals = 2}},
        Heading{"max_us", {.decimals = 2}}, Heading{"spread_pct", {.decimals = 1}}})
    table.columns.push_back(heading);
  for (const collectives::SeedSpread& row : rows) {
    auto& values = table.rows.emplace_back();
    for (const auto& column : collective_columns()) values.push_back(column.value(row.median));
    values.insert(values.end(), {static_cast<std::int64_t>(row.seeds), row.least.microseconds(),
                                 row.most.microseconds(), row.spread_pct()});
  }
  return table;
}

}  // namespace railyard::apps
