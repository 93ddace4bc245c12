#pragma once

#include <vector>

#include "apps/output/rows.hpp"
#include "collectives/nccl/timing/fit/table_errors.hpp"

namespace railyard::apps {

/// A row per measured time with its prediction, for JSON and CSV; `errors` are by row.
[[nodiscard]] RowTable tabulate_validation(const collectives::nccl::Predictions& predictions,
                                           const std::vector<collectives::nccl::RowError>& errors);

/// A row per table, and one of all.
[[nodiscard]] RowTable tabulate_table_errors(
    const std::vector<collectives::nccl::TableError>& errors);

/// A row per harness.
[[nodiscard]] RowTable tabulate_harness_errors(
    const std::vector<collectives::nccl::HarnessError>& errors);

}  // namespace railyard::apps
