#include "apps/output/traffic_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "apps/output/row_values.hpp"
#include "core/nearest_rank.hpp"

namespace railyard::apps {

TrafficRow traffic_row(std::string traffic, Bytes bytes, const collectives::Run& run) {
  TrafficRow row;
  row.traffic = std::move(traffic);
  row.bytes = bytes;
  row.flows = static_cast<std::int64_t>(run.tasks.size());
  std::vector<Time> times;
  Time begin = run.tasks.front().start, end;
  double sum = 0;
  for (const collectives::TaskResult& task : run.tasks) {
    times.push_back(task.finish - task.start);
    sum += times.back().seconds();
    begin = std::min(begin, task.start);
    end = std::max(end, task.finish);
  }
  row.time = end - begin;
  row.fct_mean = Time::picoseconds(std::llround(sum / static_cast<double>(times.size()) * 1e12));
  row.fct_p50 = core::nearest_rank(times, 0.5);
  row.fct_p99 = core::nearest_rank(times, 0.99);
  row.fct_max = core::nearest_rank(times, 1);
  return row;
}

RowTable tabulate_traffic(const std::vector<TrafficRow>& rows) {
  using Row = TrafficRow;
  static constexpr std::array<Column<Row>, 11> kColumns{{
      {"traffic", [](const Row& r) -> RowValue { return r.traffic; }, kShared},
      {"fidelity", [](const Row& r) -> RowValue { return r.fidelity; }, kShared},
      {"seed", [](const Row& r) -> RowValue { return static_cast<std::int64_t>(r.seed); }, kShared},
      {"flows", [](const Row& r) -> RowValue { return r.flows; }},
      {"bytes", [](const Row& r) -> RowValue { return r.bytes.count(); }, {.is_size = true}},
      {"time_us", [](const Row& r) -> RowValue { return r.time.microseconds(); }, kHundredths},
      {"throughput_GBps",
       [](const Row& r) -> RowValue {
         return static_cast<double>(r.bytes.count()) / r.time.seconds() / 1e9;
       },
       kHundredths},
      {"fct_mean_us", [](const Row& r) -> RowValue { return r.fct_mean.microseconds(); },
       kHundredths},
      {"fct_p50_us", [](const Row& r) -> RowValue { return r.fct_p50.microseconds(); },
       kHundredths},
      {"fct_p99_us", [](const Row& r) -> RowValue { return r.fct_p99.microseconds(); },
       kHundredths},
      {"fct_max_us", [](const Row& r) -> RowValue { return r.fct_max.microseconds(); },
       kHundredths},
  }};
  return tabulate(kColumns, rows);
}

}  // namespace railyard::apps
