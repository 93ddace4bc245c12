#include "hw/time_statistics.hpp"

#include <algorithm>

#include "core/nearest_rank.hpp"

namespace railyard::hw {

Time quantile(std::vector<Time> times, double part) { return core::nearest_rank(times, part); }

std::size_t outliers(const std::vector<Time>& times) {
  if (times.empty()) return 0;
  const Time most = quantile(times, 0.5) * 2;
  return static_cast<std::size_t>(
      std::ranges::count_if(times, [&](Time time) { return time > most; }));
}

void WorstOutliers::add(Bytes size, const std::vector<Time>& times) {
  constexpr std::size_t kFewest = 10;
  if (times.size() < kFewest) return;
  const IterationOutliers found{.size = size,
                                .count = outliers(times),
                                .iterations = times.size(),
                                .median = quantile(times, 0.5),
                                .most = std::ranges::max(times)};
  if (found.share() > (worst_ ? worst_->share() : 0.0)) worst_ = found;
}

Bytes whole_elements(const collectives::Collective& collective, std::uint32_t ranks) {
  using enum collectives::Kind;
  const bool in_blocks = collective.kind == all_gather || collective.kind == reduce_scatter ||
                         collective.kind == all_to_all;
  const Bytes unit = size_of(collective.type) * (in_blocks ? std::int64_t{ranks} : 1);
  return std::max(unit, unit * (collective.bytes.count() / unit.count()));
}

}  // namespace railyard::hw
