#include "apps/output/traffic_rows.hpp"

#include <array>

#include "apps/output/row_values.hpp"

namespace railyard::apps {

RowTable tabulate_traffic(const std::vector<TrafficRow>& rows) {
  using Row = TrafficRow;
  static constexpr std::array<Column<Row>, 11> kColumns{{
      {"traffic", [](const Row& r) -> RowValue { return r.traffic; }, kShared},
      {"fidelity", [](const Row& r) -> RowValue { return r.fidelity; }, kShared},
      {"seed", [](const Row& r) { return whole_number(r.seed); }, kShared},
      {"flows", [](const Row& r) { return whole_number(r.times.messages); }},
      {"bytes", [](const Row& r) -> RowValue { return r.bytes.count(); }, {.is_size = true}},
      {"time_us", [](const Row& r) { return microseconds(r.times.total); }, kHundredths},
      {"throughput_GBps",
       [](const Row& r) -> RowValue {
         return static_cast<double>(r.bytes.count()) / r.times.total.seconds() / 1e9;
       },
       kHundredths},
      {"fct_mean_us", [](const Row& r) { return microseconds(r.times.mean); }, kHundredths},
      {"fct_p50_us", [](const Row& r) { return microseconds(r.times.p50); }, kHundredths},
      {"fct_p99_us", [](const Row& r) { return microseconds(r.times.p99); }, kHundredths},
      {"fct_max_us", [](const Row& r) { return microseconds(r.times.most); }, kHundredths},
  }};
  return tabulate(kColumns, rows);
}

}  // namespace railyard::apps
