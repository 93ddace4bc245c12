#pragma once

#include <vector>

#include "placement/cost/cost_context.hpp"

namespace railyard::placement {

/// A split of GPUs of one type among pipeline, data and expert parallelism, with its groups.
struct Layout {
  int pp = 1, dp = 1, ep = 1, etp = 1;
  GroupShapes shapes{};
};

/// All layouts of `gpus` GPUs with a tensor and a context width: stages that the layers fill,
/// batches that replicas divide, experts that divide among the ranks of replicas.
[[nodiscard]] std::vector<Layout> layouts_of(const CostContext& context, int gpus, int tp, int cp);

}  // namespace railyard::placement
