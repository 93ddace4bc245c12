#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace railyard::core {

/// The smallest value that at least `share` of the values do not exceed (nearest rank):
///
///     the k-th smallest of n, k = max(1, ceil(share n))
///
/// Of 1, 2, 3, 4 the share 0.5 gives 2, 0.51 gives 3. T() without values. Reorders them.
template <class T>
[[nodiscard]] T nearest_rank(std::vector<T>& values, double share) {
  if (values.empty()) return {};
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(rank, 1) - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace railyard::core
