#pragma once

#include <vector>

#include "placement/model/processor.hpp"

namespace railyard::placement::serving {

/// 80 % range of measured / predicted throughput: the 10th and 90th percentile.
struct ThroughputRange {
  double low = 1, high = 1;

  /// Relative excess of measured over predicted times at the low end. low = 0.8: 0.25.
  [[nodiscard]] double margin() const { return 1 / low - 1; }
};

/// The range of a machine near its saturation, from the residuals of the calibration at high load
/// (table `ranges` of `railyard validate configs/validation/serving_runs.csv`, results/serving.md).
/// For a GPU type without any measured run the distance from 1 is doubled. This is an assumption:
/// with an earlier fit the mean TPOT error of GPU types left out of the fit was 1.5 times that of
/// the others. `is_calibrated`: the efficiencies were fitted to this machine, which counts as
/// measured.
[[nodiscard]] ThroughputRange throughput_range(const Processor& gpu, bool has_experts,
                                               bool is_calibrated = false);

/// True if the calibration has runs of this GPU type (configs/validation/serving_runs.csv).
[[nodiscard]] bool has_measured_serving(const Processor& gpu);

/// A measured run at high load, with its prediction.
struct ThroughputResidual {
  double ratio = 1;   ///< measured over predicted
  double weight = 1;  ///< 1 / number of runs of its group, so that each group has the same weight
};
/// The weighted 10th and 90th percentile: the smallest ratio at or below which at least that share
/// of the weight is. Ratios 0.8, 0.9, 1.0, 1.1, 1.2 of equal weight give 0.8 to 1.2.
[[nodiscard]] ThroughputRange range_of(std::vector<ThroughputResidual> residuals);

}  // namespace railyard::placement::serving
