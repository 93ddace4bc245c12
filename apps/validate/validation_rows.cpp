#include "apps/validate/validation_rows.hpp"

#include <array>

#include "apps/output/row_values.hpp"
#include "apps/validate/validation.hpp"
#include "collectives/nccl/timing/fit/row_limit.hpp"
#include "core/config/enum_names.hpp"

namespace railyard::apps {
namespace {

using namespace collectives::nccl;

/// A row with its table and its error.
struct Line {
  const PredictedTable* table = nullptr;
  const PredictedRow* row = nullptr;
  double error_pct = 0;

  [[nodiscard]] Time time() const { return Time::from_seconds(row->measured.time_us * 1e-6); }
};

std::string algorithm_of(const Line& line) {
  if (!is_tuned(line.row->query.kind)) return "pairwise";
  return std::string(core::enum_name(line.row->query.algorithm));
}

constexpr std::array<Column<Line>, 15> kColumns{{
    {"table", [](const Line& l) -> RowValue { return l.table->name; }},
    {"cluster", [](const Line& l) -> RowValue { return l.table->cluster; }},
    {"collective",
     [](const Line& l) -> RowValue { return std::string(to_text(l.row->query.kind)); }},
    {"algorithm", [](const Line& l) -> RowValue { return algorithm_of(l); }},
    {"protocol",
     [](const Line& l) -> RowValue { return std::string(to_text(l.row->query.protocol)); }},
    {"type",
     [](const Line& l) -> RowValue {
       return std::string(to_text(l.row->measured.collective.type));
     }},
    {"backend", [](const Line&) -> RowValue { return std::string("measured"); }},
    {"ranks", [](const Line& l) -> RowValue { return std::int64_t{l.row->measured.ranks}; }},
    {"nodes", [](const Line& l) -> RowValue { return std::int64_t{l.row->measured.nodes}; }},
    {"bytes", [](const Line& l) -> RowValue { return l.row->query.bytes; }, {.is_size = true}},
    {"time_us", [](const Line& l) -> RowValue { return l.row->measured.time_us; }},
    {"busbw_GBps",
     [](const Line& l) -> RowValue {
       return busbw_GBps(l.row->measured.collective,
                         static_cast<std::uint32_t>(l.row->measured.ranks), l.time());
     }},
    {"predicted_us",
     [](const Line& l) -> RowValue { return l.row->measured.time_us * (1 + l.error_pct / 100); }},
    {"error_pct", [](const Line& l) -> RowValue { return l.error_pct; }},
    {"bound_by", [](const Line& l) -> RowValue { return std::string(limit_of(*l.row)); }},
}};

constexpr std::array<Column<TableError>, 12> kErrorColumns{{
    {"table", [](const TableError& e) -> RowValue { return e.table; }},
    {"cluster", [](const TableError& e) -> RowValue { return e.cluster; }},
    {"rows",
     [](const TableError& e) -> RowValue { return static_cast<std::int64_t>(e.all.count); }},
    {"median_pct", [](const TableError& e) { return if_any(e.all, e.all.median); }, kTenths},
    {"mean_pct", [](const TableError& e) { return if_any(e.all, e.all.mean); }, kTenths},
    {"bias_pct", [](const TableError& e) { return if_any(e.all, e.all.bias); }, kTenths},
    {"below_64K_pct", [](const TableError& e) { return if_any(e.below_64k, e.below_64k.median); },
     kTenths},
    {"to_16M_pct", [](const TableError& e) { return if_any(e.to_16m, e.to_16m.median); }, kTenths},
    {"above_16M_pct", [](const TableError& e) { return if_any(e.above_16m, e.above_16m.median); },
     kTenths},
    {"below_1M_pct", [](const TableError& e) { return if_any(e.below_1m, e.below_1m.median); },
     kTenths},
    {"above_1M_pct", [](const TableError& e) { return if_any(e.above_1m, e.above_1m.median); },
     kTenths},
    {"above_1M_bias_pct", [](const TableError& e) { return if_any(e.above_1m, e.above_1m.bias); },
     kTenths},
}};

constexpr std::array<Column<HarnessError>, 9> kHarnessColumns{{
    {"harness",
     [](const HarnessError& e) -> RowValue {
       return e.error.table.empty() ? std::string("unknown") : e.error.table;
     }},
    {"tables",
     [](const HarnessError& e) -> RowValue { return static_cast<std::int64_t>(e.tables); }},
    {"rows",
     [](const HarnessError& e) -> RowValue {
       return static_cast<std::int64_t>(e.error.all.count);
     }},
    {"median_pct", [](const HarnessError& e) { return if_any(e.error.all, e.error.all.median); },
     kTenths},
    {"mean_pct", [](const HarnessError& e) { return if_any(e.error.all, e.error.all.mean); },
     kTenths},
    {"bias_pct", [](const HarnessError& e) { return if_any(e.error.all, e.error.all.bias); },
     kTenths},
    {"below_1M_pct",
     [](const HarnessError& e) { return if_any(e.error.below_1m, e.error.below_1m.median); },
     kTenths},
    {"below_1M_bias_pct",
     [](const HarnessError& e) { return if_any(e.error.below_1m, e.error.below_1m.bias); },
     kTenths},
    {"above_1M_pct",
     [](const HarnessError& e) { return if_any(e.error.above_1m, e.error.above_1m.median); },
     kTenths},
}};

}  // namespace

RowTable tabulate_validation(const Predictions& predictions, const std::vector<RowError>& errors) {
  std::vector<Line> lines;
  for (std::size_t i = 0; i < predictions.rows.size(); ++i)
    lines.push_back({&predictions.tables[predictions.rows[i].table], &predictions.rows[i],
                     errors[i].error_pct});
  return tabulate(kColumns, lines);
}

RowTable tabulate_table_errors(const std::vector<TableError>& errors) {
  return tabulate(kErrorColumns, errors);
}

void add_ranges(const std::vector<RowRange>& ranges, RowTable& rows, RowTable& errors) {
  const auto value = [](const std::optional<double>& pct) {
    return pct ? RowValue(*pct) : RowValue();
  };
  rows.columns.push_back({"range_pct", kTenths});
  for (std::size_t i = 0; i < ranges.size(); ++i)
    rows.rows[i].push_back(value(ranges[i].range_pct));
  auto inside = inside_by_dataset(ranges);
  inside["all"] = inside_pct(ranges);
  errors.columns.push_back({"inside_pct", kTenths});
  for (auto& row : errors.rows) row.push_back(value(inside[std::get<std::string>(row.front())]));
}

RowTable tabulate_harness_errors(const std::vector<HarnessError>& errors) {
  return tabulate(kHarnessColumns, errors);
}

}  // namespace railyard::apps
