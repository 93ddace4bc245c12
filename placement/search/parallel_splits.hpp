#pragma once

#include <vector>

#include "placement/cost/cost_context.hpp"

namespace railyard::placement {

/// Sizes of pipeline, data and expert parallelism on GPUs of one type, with the group shapes.
struct ParallelSplit {
  int pp = 1, dp = 1, ep = 1, etp = 1;
  GroupShapes shapes{};
};

/// All splits of `gpus` GPUs for a tensor and a context width: at most one stage per layer,
/// replicas that divide the batch, and expert groups that divide the ranks of the replicas.
[[nodiscard]] std::vector<ParallelSplit> parallel_splits(const CostContext& context, int gpus,
                                                         int tp, int cp);

}  // namespace railyard::placement
