#include "collectives/schedule/seed_spread.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <vector>

namespace railyard::collectives {

double SeedSpread::spread_pct() const {
  if (median.time <= Time()) return 0;
  return 100 * (most - least).seconds() / median.time.seconds();
}

SeedSpread spread_of(std::span<const Measurement> runs) {
  assert(!runs.empty());
  std::vector<std::size_t> order(runs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return runs[i].time; });
  const std::size_t middle = order[(runs.size() - 1) / 2];
  return {.median = runs[middle],
          .number = middle,
          .seeds = runs.size(),
          .least = runs[order.front()].time,
          .most = runs[order.back()].time};
}

}  // namespace railyard::collectives
