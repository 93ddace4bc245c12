#include "apps/bench/pair_rows.hpp"

#include <array>

#include "apps/output/row_values.hpp"

namespace railyard::apps {

using hw::PairRow;
using hw::RailBandwidth;

RowTable tabulate_pairs(const std::vector<PairRow>& rows) {
  static constexpr std::array<Column<PairRow>, 9> kColumns{{
      {"source", [](const PairRow& r) -> RowValue { return std::int64_t{r.source}; }},
      {"destination", [](const PairRow& r) -> RowValue { return std::int64_t{r.destination}; }},
      {"source_host", [](const PairRow& r) -> RowValue { return r.source_host; }},
      {"destination_host", [](const PairRow& r) -> RowValue { return r.destination_host; }},
      {"rail",
       [](const PairRow& r) {
         return r.rail < 0 ? RowValue() : RowValue(static_cast<std::int64_t>(r.rail));
       }},
      {"bytes", [](const PairRow& r) -> RowValue { return r.bytes.count(); }, {.is_size = true}},
      {"time_us",
       [](const PairRow& r) -> RowValue { return r.time.microseconds(); },
       {.decimals = 2}},
      {"bandwidth_GBps",
       [](const PairRow& r) -> RowValue { return r.bandwidth_GBps; },
       {.decimals = 3}},
      {"relative", [](const PairRow& r) -> RowValue { return r.relative; }, {.decimals = 2}},
  }};
  return tabulate(kColumns, rows);
}

RowTable tabulate_rails(const std::vector<RailBandwidth>& rails) {
  static constexpr std::array<Column<RailBandwidth>, 4> kColumns{{
      {"rail", [](const RailBandwidth& r) -> RowValue { return std::int64_t{r.rail}; }},
      {"pairs",
       [](const RailBandwidth& r) -> RowValue { return static_cast<std::int64_t>(r.pairs); }},
      {"least_GBps", [](const RailBandwidth& r) -> RowValue { return r.least_GBps; }, kThousandths},
      {"median_GBps", [](const RailBandwidth& r) -> RowValue { return r.median_GBps; },
       kThousandths},
  }};
  return tabulate(kColumns, rails);
}

}  // namespace railyard::apps
