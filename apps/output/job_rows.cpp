#include "apps/output/job_rows.hpp"

#include <array>

#include "apps/output/collective_rows.hpp"
#include "apps/output/row_values.hpp"
#include "apps/output/table_columns.hpp"

namespace railyard::apps {

RowTable tabulate_jobs(const std::vector<JobRow>& rows) {
  static constexpr std::array<Column<JobRow>, 3> kColumns{{
      {"job", [](const JobRow& r) -> RowValue { return r.job; }},
      {"start_us", [](const JobRow& r) { return microseconds(r.start); }, kHundredths},
      {"finish_us", [](const JobRow& r) { return microseconds(r.finish); }, kHundredths},
  }};
  RowTable table = tabulate(kColumns, rows);
  add_columns(tabulate(collective_columns(), rows | std::views::transform(&JobRow::measurement)),
              table);
  return table;
}

}  // namespace railyard::apps
