#include "placement/search/parallel_splits.hpp"

#include "placement/cost/group_shapes.hpp"
#include "placement/strategy/divisors.hpp"

namespace railyard::placement {

std::vector<ParallelSplit> parallel_splits(const CostContext& context, int gpus, int tp, int cp) {
  const Job& job = context.job;
  std::vector<ParallelSplit> splits;
  const int rest = gpus / (tp * cp);
  for (const int pp : divisors(rest, job.model.layers)) {
    const int dp = rest / pp;
    if (job.batch % dp != 0) continue;
    const int experts = job.model.moe ? job.model.moe->experts : 1;
    for (const int etp : {1, tp}) {
      if (etp > 1 && !job.model.moe) continue;
      for (const int ep : divisors(experts, tp * dp * cp / etp)) {
        if (tp * dp * cp % (ep * etp) != 0) continue;
        const Strategy s{.tp = tp, .pp = pp, .dp = dp, .cp = cp, .ep = ep, .etp = etp};
        splits.push_back(
            {pp, dp, ep, etp, group_shapes(s, context.order, context.on(0).gpus_per_node)});
      }
      if (tp == 1) break;
    }
  }
  return splits;
}

}  // namespace railyard::placement
