#pragma once

#include <span>
#include <vector>

#include "placement/serving/load/throughput_range.hpp"
#include "placement/serving/measured/serving_runs.hpp"

namespace railyard::placement::serving {

/// A measured run and its predicted TTFT and TPOT.
struct PredictedRun {
  const ServingRun* run = nullptr;
  double ttft = 0, tpot = 0;  ///< seconds
};

/// Measured over predicted throughput of runs near saturation: the runs of each group with at least
/// half of the group's largest number of clients. The weights of a group sum to 1.
[[nodiscard]] std::vector<ThroughputResidual> high_load_residuals(
    std::span<const PredictedRun> runs);

}  // namespace railyard::placement::serving
