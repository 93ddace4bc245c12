#include "collectives/nccl/timing/fit/table_errors.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace railyard::collectives::nccl {
namespace {

core::ErrorSummary between(const std::vector<RowError>& rows, std::int64_t from, std::int64_t to) {
  std::vector<double> errors;
  for (const RowError& row : rows)
    if (row.bytes >= from && row.bytes < to) errors.push_back(row.error_pct);
  return core::summarise_errors(std::move(errors));
}

TableError error_of(std::string table, std::string cluster, const std::vector<RowError>& rows) {
  constexpr std::int64_t kMost = INT64_MAX;
  return {.table = std::move(table),
          .cluster = std::move(cluster),
          .all = between(rows, 0, kMost),
          .below_64k = between(rows, 0, 64 << 10),
          .to_16m = between(rows, 64 << 10, 16 << 20),
          .above_16m = between(rows, 16 << 20, kMost),
          .below_1m = between(rows, 0, 1 << 20),
          .above_1m = between(rows, 1 << 20, kMost)};
}

}  // namespace

std::vector<RowError> row_errors(const Predictions& predictions,
                                 const std::vector<double>& replaced) {
  std::vector<RowError> errors;
  for (std::size_t i = 0; i < predictions.rows.size(); ++i) {
    const PredictedRow& row = predictions.rows[i];
    errors.push_back(
        {row.table, row.query.bytes, replaced.empty() ? row.error_pct() : replaced[i]});
  }
  return errors;
}

std::vector<TableError> table_errors(const Predictions& predictions,
                                     const std::vector<RowError>& rows) {
  std::vector<TableError> errors;
  for (std::size_t i = 0; i < predictions.tables.size(); ++i) {
    std::vector<RowError> own;
    std::ranges::copy_if(rows, std::back_inserter(own),
                         [&](const RowError& row) { return row.table == i; });
    errors.push_back(error_of(predictions.tables[i].name, predictions.tables[i].cluster, own));
  }
  errors.push_back(error_of("all", "", rows));
  return errors;
}

std::vector<HarnessError> harness_errors(const Predictions& predictions,
                                         const std::vector<RowError>& rows) {
  std::vector<HarnessError> errors;
  for (const PredictedTable& table : predictions.tables) {
    const auto known = std::ranges::find(errors, table.harness, [](const HarnessError& error) {
      return std::string_view(error.error.table);
    });
    if (known != errors.end()) {
      ++known->tables;
      continue;
    }
    std::vector<RowError> own;
    std::ranges::copy_if(rows, std::back_inserter(own), [&](const RowError& row) {
      return predictions.tables[row.table].harness == table.harness;
    });
    errors.push_back({.tables = 1, .error = error_of(table.harness, "", own)});
  }
  return errors;
}

}  // namespace railyard::collectives::nccl
