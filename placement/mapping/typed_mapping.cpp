#include "placement/mapping/typed_mapping.hpp"

#include "placement/strategy/strategy_groups.hpp"

namespace railyard::placement {

std::vector<int> rank_types(const Strategy& s) {
  if (s.classes.empty()) return std::vector<int>(static_cast<std::size_t>(s.gpus()), 0);
  const auto block = static_cast<std::size_t>(s.tp * s.cp);
  std::vector<int> types;
  for (int stage = 0; stage < s.pp; ++stage)
    for (const PipelineClass& one : s.classes)
      types.insert(types.end(), block * static_cast<std::size_t>(one.replicas), one.type_of(stage));
  return types;
}

Mapping map_in_order(const Strategy& strategy, std::span<const GpuType> types,
                     const DimensionOrder& order) {
  const std::vector<int> of_rank = rank_types(strategy);
  std::vector<std::size_t> next(types.size(), 0);
  Mapping mapping{std::vector<Rank>(of_rank.size())};
  for (const JobRank rank : strategy_grid(strategy).ranks_in(layout_in(strategy, order))) {
    const auto type = static_cast<std::size_t>(of_rank[rank.index()]);
    mapping.gpus[rank.index()] = types[type].free[next[type]++];
  }
  return mapping;
}

}  // namespace railyard::placement
