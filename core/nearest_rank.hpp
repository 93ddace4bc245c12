#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace railyard::core {

/// Quantile by the nearest-rank method: the smallest value v such that at least the fraction
/// `share` of all values is <= v, that is
///
///     the k-th smallest of n, k = max(1, ceil(share n))
///
/// For the values 1, 2, 3, 4 a share of 0.5 gives 2 and 0.51 gives 3. Returns T() for an empty
/// vector. Changes the order of the values.
template <class T>
[[nodiscard]] T nearest_rank(std::vector<T>& values, double share) {
  if (values.empty()) return {};
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(rank, 1) - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace railyard::core
