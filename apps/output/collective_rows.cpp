#include "apps/output/collective_rows.hpp"

#include <array>

#include "apps/output/row_values.hpp"

namespace railyard::apps {
namespace {

using Row = collectives::Measurement;

constexpr ColumnStyle kTime{.decimals = 2};
constexpr ColumnStyle kRate{.decimals = 2};

// Number of columns that only bench has. They are last, so that one list serves both commands.
constexpr std::size_t kBenchOnly = 9;
constexpr std::size_t kEngine = 4;  // index of the column "engine", which bench calls "backend"
constexpr std::array<Column<Row>, 22> kColumns{{
    {"collective", [](const Row& r) -> RowValue { return r.collective; }, kShared},
    {"algorithm", [](const Row& r) -> RowValue { return r.algorithm; }},
    {"protocol", [](const Row& r) -> RowValue { return r.protocol; }},
    {"channels", [](const Row& r) -> RowValue { return std::int64_t{r.channels}; }},
    {"fidelity", [](const Row& r) -> RowValue { return r.fidelity; }, kShared},
    {"ranks", [](const Row& r) -> RowValue { return std::int64_t{r.ranks}; }, kShared},
    {"nodes", [](const Row& r) -> RowValue { return std::int64_t{r.nodes}; }, kShared},
    {"bytes", [](const Row& r) -> RowValue { return r.bytes.count(); }, {.is_size = true}},
    {"time_us", [](const Row& r) { return microseconds(r.time); }, kTime},
    {"algbw_GBps", [](const Row& r) -> RowValue { return r.algbw_GBps; }, kRate},
    {"busbw_GBps", [](const Row& r) -> RowValue { return r.busbw_GBps; }, kRate},
    {"bound_by", [](const Row& r) -> RowValue { return r.bound_by; }},
    {"seed", [](const Row& r) -> RowValue { return whole_number(r.seed); }, kShared},
    {"min_us", [](const Row& r) { return microseconds(r.live->min); }, kTime},
    {"p50_us", [](const Row& r) { return microseconds(r.live->p50); }, kTime},
    {"p99_us", [](const Row& r) { return microseconds(r.live->p99); }, kTime},
    {"wrong", [](const Row& r) -> RowValue { return r.live->wrong; }},
    {"predicted_us", [](const Row& r) { return microseconds(r.live->predicted); }, kTime},
    {"error_pct", [](const Row& r) { return if_known(r.live->error_pct); }, kTenths},
    {"error_term", [](const Row& r) -> RowValue { return r.live->error_term; }},
    {"skew_us", [](const Row& r) { return microseconds(r.live->skew); }, kTime},
    {"in_place", [](const Row& r) -> RowValue { return r.live->in_place; }, kShared},
}};

constexpr auto kBenchColumns = [] {
  auto columns = kColumns;
  columns[kEngine].name = "backend";
  return columns;
}();

}  // namespace

std::span<const Column<Row>> collective_columns() {
  return std::span(kColumns).first(kColumns.size() - kBenchOnly);
}

std::span<const Column<Row>> bench_columns() { return kBenchColumns; }

}  // namespace railyard::apps
