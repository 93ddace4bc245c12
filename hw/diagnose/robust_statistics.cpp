#include "hw/diagnose/robust_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/interpolated_quantile.hpp"

namespace railyard::hw {

namespace {

/// The median of the values within `reach` of the median of ... of `centre`, five times.
double centred(const std::vector<double>& sorted, double centre, double reach) {
  for (int i = 0; i < 5; ++i) {
    const auto from = std::ranges::lower_bound(sorted, centre - reach);
    const auto to = std::ranges::upper_bound(sorted, centre + reach);
    if (from == to) break;
    centre = median_of({from, to});
  }
  return centre;
}

}  // namespace

double quantile_of(std::vector<double> values, double share) {
  std::ranges::sort(values);
  return core::interpolated_quantile(values, share);
}

double median_of(std::vector<double> values) { return quantile_of(std::move(values), 0.5); }

double spread_of(const std::vector<double>& values, double centre) {
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) distances.push_back(std::abs(value - centre));
  return 1.4826 * median_of(std::move(distances));
}

double fast_mode_of(std::vector<double> values, double gap) {
  std::ranges::sort(values);
  const std::size_t least = std::max<std::size_t>(1, values.size() / 10);
  double mode = 0;
  while (!values.empty()) {
    const std::size_t held =
        std::min(values.size(), std::max<std::size_t>(2, (values.size() + 3) / 4));
    std::size_t best = 0;
    for (std::size_t i = 0; i + held <= values.size(); ++i)
      if (values[i + held - 1] - values[i] < values[best + held - 1] - values[best]) best = i;
    // The middle quarter of normal values is 0.637 standard deviations wide.
    const double spread = (values[best + held - 1] - values[best]) / 0.637;
    mode = centred(values, values[best + held / 2], 2.5 * spread);
    const auto faster = std::ranges::lower_bound(values, mode - std::max(gap, 4 * spread));
    if (static_cast<std::size_t>(faster - values.begin()) < least) break;
    values.erase(faster, values.end());
  }
  return mode;
}

double log_student4(double distance, double scale) {
  // Density 3/8 (1 + x^2 / 4)^(-5/2).
  const double x = distance / scale;
  return std::log(0.375) - 2.5 * std::log1p(x * x / 4) - std::log(scale);
}

}  // namespace railyard::hw
