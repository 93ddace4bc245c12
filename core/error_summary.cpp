#include "core/error_summary.hpp"

#include <algorithm>
#include <cmath>

#include "core/interpolated_quantile.hpp"

namespace railyard::core {

ErrorSummary summarise_errors(std::vector<double> errors) {
  ErrorSummary summary{.count = errors.size()};
  if (errors.empty()) return summary;
  const auto count = static_cast<double>(errors.size());
  for (double& error : errors) {
    summary.bias += error / count;
    error = std::fabs(error);
    summary.mean += error / count;
  }
  std::ranges::sort(errors);
  summary.median = interpolated_quantile(errors, 0.5);
  summary.p90 = interpolated_quantile(errors, 0.9);
  return summary;
}

}  // namespace railyard::core
