#include "placement/serving/load/throughput_range.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace railyard::placement::serving {

bool has_measured_serving(const Processor& gpu) {
  constexpr std::array<std::string_view, 2> kMeasured{"H100-SXM5-80GB", "B200-SXM-180GB"};
  return std::ranges::find(kMeasured, gpu.gpu.name) != kMeasured.end();
}

ThroughputRange throughput_range(const Processor& gpu, bool has_experts, bool is_calibrated) {
  // From "railyard validate configs/validation/serving_runs.csv", table "ranges".
  const ThroughputRange range =
      has_experts ? ThroughputRange{0.809, 1.115} : ThroughputRange{0.851, 1.058};
  if (is_calibrated || has_measured_serving(gpu)) return range;
  return {.low = 1 - 2 * (1 - range.low), .high = 1 + 2 * (range.high - 1)};
}

ThroughputRange range_of(std::vector<ThroughputResidual> residuals) {
  std::ranges::sort(residuals, {}, &ThroughputResidual::ratio);
  double all = 0;
  for (const ThroughputResidual& r : residuals) all += r.weight;
  const auto quantile = [&](double share) {
    double below = 0;
    for (const ThroughputResidual& r : residuals)
      if ((below += r.weight) >= share * all * (1 - 1e-12)) return r.ratio;
    return 1.0;
  };
  return {.low = quantile(0.1), .high = quantile(0.9)};
}

}  // namespace railyard::placement::serving
