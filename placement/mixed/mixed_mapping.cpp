#include "placement/mixed/mixed_mapping.hpp"

#include "placement/strategy/strategy_groups.hpp"

namespace railyard::placement {

std::vector<int> rank_types(const MixedStrategy& mixed) {
  const auto block = static_cast<std::size_t>(mixed.strategy.tp * mixed.strategy.cp);
  std::vector<int> types;
  for (std::size_t stage = 0; stage < static_cast<std::size_t>(mixed.strategy.pp); ++stage)
    for (const PipelineClass& one : mixed.classes)
      types.insert(types.end(), block * static_cast<std::size_t>(one.replicas), one.types[stage]);
  return types;
}

Mapping mixed_mapping(const MixedStrategy& mixed, std::span<const GpuType> types,
                      const DimensionOrder& order) {
  const std::vector<int> of_rank = rank_types(mixed);
  std::vector<std::size_t> next(types.size(), 0);
  Mapping mapping{std::vector<Rank>(of_rank.size())};
  for (const JobRank rank :
       strategy_grid(mixed.strategy).ranks_in(layout_in(mixed.strategy, order))) {
    const auto type = static_cast<std::size_t>(of_rank[rank.index()]);
    mapping.gpus[rank.index()] = types[type].free[next[type]++];
  }
  return mapping;
}

}  // namespace railyard::placement
