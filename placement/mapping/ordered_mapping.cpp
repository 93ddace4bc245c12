#include "placement/mapping/ordered_mapping.hpp"

#include "placement/strategy/strategy_groups.hpp"

namespace railyard::placement {

GpusByType free_gpus(std::span<const GpuType> types) {
  std::vector<std::span<const Rank>> lists;
  for (const GpuType& type : types) lists.emplace_back(type.free);
  return GpusByType(std::move(lists));
}

Mapping ordered_mapping(const Strategy& strategy, const GpusByType& gpus,
                        const DimensionOrder& order) {
  const std::vector<JobRank> ranks = strategy_grid(strategy).ranks_in(layout_in(strategy, order));
  if (gpus.size() == 1) return map_in_order(ranks, gpus);
  return map_in_order(ranks, gpus, rank_types(strategy));
}

}  // namespace railyard::placement
