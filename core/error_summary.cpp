#include "core/error_summary.hpp"

#include <algorithm>
#include <cmath>

namespace railyard::core {
namespace {

double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

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
  summary.median = quantile(errors, 0.5);
  summary.p90 = quantile(errors, 0.9);
  return summary;
}

}  // namespace railyard::core
