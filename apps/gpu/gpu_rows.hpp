#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/output/rows.hpp"
#include "hw/gpu_tools.hpp"
#include "placement/model/processor.hpp"

namespace railyard::apps {

/// A measured row and its prediction.
struct PredictedGpuRow {
  hw::GpuTestRow row{};
  std::optional<Time> predicted{};
};

/// The predicted time of a row: matrix products by placement::product_time, memory streams by the
/// bandwidths in the GPU's config. Empty if the config does not have that rate.
[[nodiscard]] std::optional<Time> predict(const placement::Processor& processor,
                                          const hw::GpuTestRow& row);

/// A row per tested product, copy or other measurement, with its prediction and error.
[[nodiscard]] RowTable tabulate_gpu_tests(const std::vector<PredictedGpuRow>& rows);

/// The bfloat16 products of the first GPU as CSV (m, n, k, ms), as `place --gemm-table` reads it.
[[nodiscard]] std::string gemm_table_text(const hw::GpuTests& tests);

}  // namespace railyard::apps
