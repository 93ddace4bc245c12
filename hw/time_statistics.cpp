#include "hw/time_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace railyard::hw {

Time quantile(std::vector<Time> times, double part) {
  std::ranges::sort(times);
  const auto rank = static_cast<std::size_t>(std::ceil(part * static_cast<double>(times.size())));
  return times[std::max<std::size_t>(rank, 1) - 1];
}

Time mean(const std::vector<Time>& times) {
  const Time sum = std::accumulate(times.begin(), times.end(), Time());
  return Time::picoseconds(sum.picoseconds() / static_cast<std::int64_t>(times.size()));
}

Bytes whole_elements(const collectives::Collective& collective, std::uint32_t ranks) {
  using enum collectives::Kind;
  const bool in_blocks = collective.kind == all_gather || collective.kind == reduce_scatter ||
                         collective.kind == all_to_all;
  const Bytes unit = size_of(collective.type) * (in_blocks ? std::int64_t{ranks} : 1);
  return std::max(unit, unit * (collective.bytes.count() / unit.count()));
}

}  // namespace railyard::hw
