#include "placement/strategy/uneven_stages.hpp"

#include <algorithm>

namespace railyard::placement {
namespace {

double seconds(const LayerCost& cost) {
  return (cost.forward.total() + cost.backward.total() + cost.recompute.total()).seconds();
}

}  // namespace

std::vector<int> balanced_layers(const Model& model, const Strategy& strategy,
                                 const BlockCosts& blocks) {
  const int sparse = model.moe_layers();
  const double layer =
      (seconds(blocks.dense) * (model.layers - sparse) + seconds(blocks.sparse) * sparse) /
      model.layers;
  std::vector<double> work(static_cast<std::size_t>(strategy.pp));
  work.front() += seconds(blocks.embedding) + seconds(blocks.tower) + seconds(blocks.projector);
  work.back() += seconds(blocks.head);
  std::vector<int> layers(work.size());
  for (int i = 0; i < model.layers; ++i) {
    const auto least = std::ranges::min_element(work);
    *least += layer;
    ++layers[static_cast<std::size_t>(least - work.begin())];
  }
  return layers;
}

}  // namespace railyard::placement
