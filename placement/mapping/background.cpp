#include "placement/mapping/background.hpp"

#include <algorithm>

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

}  // namespace railyard::placement
