#include "apps/output/job_rows.hpp"

#include "apps/output/collective_rows.hpp"

namespace railyard::apps {

RowTable tabulate_jobs(const std::vector<JobRow>& rows) {
  RowTable table;
  table.columns = {{"job", {}}, {"start_us", {.decimals = 2}}, {"finish_us", {.decimals = 2}}};
  for (const auto& column : collective_columns())
    table.columns.push_back({column.name, column.style});
  for (const JobRow& row : rows) {
    auto& values = table.rows.emplace_back();
    values = {row.job, row.start.microseconds(), row.finish.microseconds()};
    for (const auto& column : collective_columns()) values.push_back(column.value(row.measurement));
  }
  return table;
}

}  // namespace railyard::apps
