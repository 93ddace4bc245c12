#include "placement/mixed/mixed_mapping.hpp"

namespace railyard::placement {

Mapping mixed_mapping(const MixedStrategy& mixed, std::span<const GpuType> types) {
  const auto block = static_cast<std::size_t>(mixed.strategy.tp * mixed.strategy.cp);
  std::vector<std::size_t> next(types.size(), 0);
  Mapping mapping;
  for (std::size_t stage = 0; stage < static_cast<std::size_t>(mixed.strategy.pp); ++stage) {
    for (const PipelineClass& one : mixed.classes) {
      const auto type = static_cast<std::size_t>(one.types[stage]);
      const std::size_t gpus = block * static_cast<std::size_t>(one.replicas);
      for (std::size_t i = 0; i < gpus; ++i) mapping.gpus.push_back(types[type].free[next[type]++]);
    }
  }
  return mapping;
}

}  // namespace railyard::placement
