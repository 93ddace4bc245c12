#pragma once

#include <span>
#include <vector>

#include "placement/serving/load/throughput_range.hpp"
#include "placement/serving/measured/serving_runs.hpp"

namespace railyard::placement::serving {

/// A measured run with its prediction.
struct PredictedRun {
  const ServingRun* run = nullptr;
  double ttft = 0, tpot = 0;  ///< seconds
};

/// Measured over predicted throughput of runs near saturation: those of each group with at least
/// half of its largest number of clients. A group's weights sum to 1.
[[nodiscard]] std::vector<ThroughputResidual> high_load_residuals(
    std::span<const PredictedRun> runs);

}  // namespace railyard::placement::serving
