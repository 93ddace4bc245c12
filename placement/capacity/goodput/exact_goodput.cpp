#include "placement/capacity/goodput/exact_goodput.hpp"

#include <cmath>
#include <limits>

namespace railyard::placement {

double exact_goodput(const ExponentialRun& run) {
  const double m = run.mean_time_to_failure;
  if (std::isinf(m)) return run.interval / (run.interval + run.checkpoint);
  return run.interval / ((m + run.downtime) * std::exp(run.restart / m) *
                         std::expm1((run.interval + run.checkpoint) / m));
}

double young_interval(double checkpoint, double mean_time_to_failure) {
  return std::sqrt(2 * checkpoint * mean_time_to_failure);
}

double daly_interval(double checkpoint, double mean_time_to_failure) {
  const double c = checkpoint, m = mean_time_to_failure;
  if (c >= 2 * m) return m;
  return std::sqrt(2 * c * m) * (1 + std::sqrt(c / (2 * m)) / 3 + c / (18 * m)) - c;
}

double optimal_interval(double checkpoint, double mean_time_to_failure) {
  const double m = mean_time_to_failure;
  if (std::isinf(m)) return m;
  // The derivative of the exact goodput is zero at x = T/M with 1 - x = e^-(x + C/M). Left minus
  // right side changes sign once on (0, 1), from positive to negative: bisection.
  double low = 0, high = 1;
  for (int i = 0; i < 200 && high - low > 1e-15; ++i) {
    const double x = (low + high) / 2;
    (1 - x > std::exp(-(x + checkpoint / m)) ? low : high) = x;
  }
  return m * (low + high) / 2;
}

}  // namespace railyard::placement
