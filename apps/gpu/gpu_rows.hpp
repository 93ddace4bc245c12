#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/output/rows.hpp"
#include "hw/gpu_tools.hpp"
#include "placement/model/processor.hpp"

namespace railyard::apps {

/// A tested row with what the model of a GPU predicts for it.
struct PredictedGpuRow {
  hw::GpuTestRow row{};
  std::optional<Time> predicted{};
};

/// What the model predicts of a row: matrix products by placement::product_time, streams through
/// memory by the bandwidths of its config. Nothing where the config does not have that rate.
[[nodiscard]] std::optional<Time> predict(const placement::Processor& processor,
                                          const hw::GpuTestRow& row);

[[nodiscard]] RowTable tabulate_gpu_tests(const std::vector<PredictedGpuRow>& rows);

/// The bfloat16 products of the first GPU as CSV (m, n, k, ms), as `place --gemm-table` reads it.
[[nodiscard]] std::string gemm_table_text(const hw::GpuTests& tests);

}  // namespace railyard::apps
