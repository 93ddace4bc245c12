#include "placement/mapping/background.hpp"

#include <algorithm>

#include "placement/mapping/link_trunks.hpp"
#include "placement/mapping/traffic_walk.hpp"
#include "placement/mapping/trunk_loads.hpp"

namespace railyard::placement {

std::vector<double> available_bandwidth(const Tiers& tiers, std::span<const Traffic> others,
                                        bool pxn) {
  Mapping itself;
  for (std::size_t r = 0; r < tiers.cluster().rank_count(); ++r) itself.gpus.emplace_back(r);
  TrafficWalk walk(tiers);
  TrunkLoads loads(tiers, pxn);
  for (const Traffic& traffic : others) walk(traffic, itself, loads);
  std::vector<double> left(tiers.bandwidth().begin(), tiers.bandwidth().end());
  for (std::size_t t = 0; t < left.size(); ++t)
    left[t] = std::max(left[t] - loads.bytes(TrunkId(t)), left[t] / 2);
  return left;
}

std::vector<double> left_of_links(const Tiers& tiers, std::span<const double> available) {
  const std::vector<TrunkId> trunks = link_trunks(tiers);
  std::vector<double> left(trunks.size(), 1.0);
  for (std::size_t l = 0; l < left.size(); ++l) {
    if (trunks[l].is_none()) continue;
    const double whole = tiers.bandwidth()[trunks[l].index()];
    if (whole > 0) left[l] = available[trunks[l].index()] / whole;
  }
  return left;
}

}  // namespace railyard::placement
