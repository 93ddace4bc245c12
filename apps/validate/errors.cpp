#include "apps/validate/errors.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace railyard::apps {
namespace {

double median(std::vector<double>& values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

ErrorSummary between(const std::vector<RowError>& rows, std::int64_t from, std::int64_t to) {
  std::vector<double> errors;
  for (const RowError& row : rows)
    if (row.bytes >= from && row.bytes < to) errors.push_back(row.error_pct);
  return summarise(std::move(errors));
}

TableError error_of(std::string table, std::string cluster, const std::vector<RowError>& rows) {
  constexpr std::int64_t kMost = INT64_MAX;
  return {.table = std::move(table),
          .cluster = std::move(cluster),
          .all = between(rows, 0, kMost),
          .small = between(rows, 0, 64 << 10),
          .middle = between(rows, 64 << 10, 16 << 20),
          .large = between(rows, 16 << 20, kMost),
          .below_1m = between(rows, 0, 1 << 20),
          .above_1m = between(rows, 1 << 20, kMost)};
}

RowValue if_any(const ErrorSummary& summary, double value) {
  return summary.rows == 0 ? RowValue() : RowValue(value);
}

constexpr ColumnStyle kOne{.decimals = 1};

constexpr std::array<Column<TableError>, 12> kColumns{{
    {"table", [](const TableError& e) -> RowValue { return e.table; }},
    {"cluster", [](const TableError& e) -> RowValue { return e.cluster; }},
    {"rows", [](const TableError& e) -> RowValue { return static_cast<std::int64_t>(e.all.rows); }},
    {"median_pct", [](const TableError& e) { return if_any(e.all, e.all.median_abs); }, kOne},
    {"mean_pct", [](const TableError& e) { return if_any(e.all, e.all.mean_abs); }, kOne},
    {"bias_pct", [](const TableError& e) { return if_any(e.all, e.all.bias); }, kOne},
    {"below_64K_pct", [](const TableError& e) { return if_any(e.small, e.small.median_abs); },
     kOne},
    {"to_16M_pct", [](const TableError& e) { return if_any(e.middle, e.middle.median_abs); }, kOne},
    {"above_16M_pct", [](const TableError& e) { return if_any(e.large, e.large.median_abs); },
     kOne},
    {"below_1M_pct", [](const TableError& e) { return if_any(e.below_1m, e.below_1m.median_abs); },
     kOne},
    {"above_1M_pct", [](const TableError& e) { return if_any(e.above_1m, e.above_1m.median_abs); },
     kOne},
    {"above_1M_bias_pct", [](const TableError& e) { return if_any(e.above_1m, e.above_1m.bias); },
     kOne},
}};

}  // namespace

ErrorSummary summarise(std::vector<double> errors) {
  ErrorSummary summary{.rows = errors.size()};
  if (errors.empty()) return summary;
  summary.bias = median(errors);
  for (double& error : errors) {
    error = std::fabs(error);
    summary.mean_abs += error / static_cast<double>(errors.size());
  }
  summary.median_abs = median(errors);
  return summary;
}

std::vector<TableError> table_errors(const Judged& judged, const std::vector<RowError>& rows) {
  std::vector<TableError> errors;
  for (std::size_t i = 0; i < judged.tables.size(); ++i) {
    std::vector<RowError> own;
    std::ranges::copy_if(rows, std::back_inserter(own),
                         [&](const RowError& row) { return row.table == i; });
    errors.push_back(error_of(judged.tables[i].name, judged.tables[i].cluster, own));
  }
  errors.push_back(error_of("all", "", rows));
  return errors;
}

RowTable tabulate_table_errors(const std::vector<TableError>& errors) {
  return tabulate(std::span<const Column<TableError>>(kColumns),
                  std::span<const TableError>(errors));
}

}  // namespace railyard::apps
