#include "apps/output/seed_rows.hpp"

#include <array>

#include "apps/output/collective_rows.hpp"
#include "apps/output/row_values.hpp"
#include "apps/output/table_columns.hpp"

namespace railyard::apps {

RowTable tabulate_seeds(const std::vector<collectives::SeedSpread>& rows) {
  using Row = collectives::SeedSpread;
  static constexpr std::array<Column<Row>, 4> kColumns{{
      {"seeds", [](const Row& r) { return whole_number(r.seeds); }, kShared},
      {"min_us", [](const Row& r) { return microseconds(r.least); }, kHundredths},
      {"max_us", [](const Row& r) { return microseconds(r.most); }, kHundredths},
      {"spread_pct", [](const Row& r) -> RowValue { return r.spread_pct(); }, kTenths},
  }};
  RowTable table = tabulate(collective_columns(), rows | std::views::transform(&Row::median));
  add_columns(tabulate(kColumns, rows), table);
  return table;
}

}  // namespace railyard::apps
