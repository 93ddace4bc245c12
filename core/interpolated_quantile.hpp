#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace railyard::core {

/// The quantile of ascending values, linear between neighbours: 2.5 for {1, 2, 3, 4} and 0.5.
/// `share`: 0..1. 0 without values.
[[nodiscard]] inline double interpolated_quantile(std::span<const double> sorted, double share) {
  if (sorted.empty()) return 0;
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace railyard::core
