#pragma once

#include <vector>

#include "placement/model/processor.hpp"

namespace railyard::placement::serving {

/// 80 % range of measured / predicted throughput.
struct ThroughputRange {
  double low = 1, high = 1;

  /// How much longer than predicted times are at the low end.
  [[nodiscard]] double margin() const { return 1 / low - 1; }
};

/// The range of a machine near its saturation, from the residuals of the calibration at high load:
/// (table `ranges` of `railyard validate configs/validation/serving_runs.csv`, results/serving.md).
/// A GPU type without any run has twice the distance from 1, by assumption: with an earlier fit the
/// mean TPOT error of GPU types that were left out was 1.5 times that of the others.
/// `is_calibrated`: the efficiencies are those of this machine, which then counts as measured.
[[nodiscard]] ThroughputRange throughput_range(const Processor& gpu, bool has_experts,
                                               bool is_calibrated = false);

/// The GPU type has runs in the calibration (configs/validation/serving_runs.csv).
[[nodiscard]] bool has_measured_serving(const Processor& gpu);

/// A measured run at high load, with its prediction.
struct ThroughputResidual {
  double ratio = 1;   ///< measured over predicted
  double weight = 1;  ///< one over the runs of its group, so that each group counts alike
};
/// From the 10th to the 90th percentile by weight: the least ratio up to which at least that share
/// of the weight lies. Ratios 0.8, 0.9, 1.0, 1.1, 1.2 of equal weight: 0.8 to 1.2.
[[nodiscard]] ThroughputRange range_of(std::vector<ThroughputResidual> residuals);

}  // namespace railyard::placement::serving
