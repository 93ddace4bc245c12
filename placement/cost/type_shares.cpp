#include "placement/cost/type_shares.hpp"

#include <algorithm>

namespace railyard::placement {

std::vector<TypeShare> type_shares(const CostContext& context, const Strategy& strategy) {
  const TypeBlocks parts = type_blocks(context, strategy);
  const ReplicaClasses classes(context.job.batch, strategy);
  std::vector<TypeShare> shares;
  for (const StageUse& use : stage_uses(context, strategy, parts.blocks)) {
    if (shares.empty() || shares.back().pipeline != use.pipeline ||
        shares.back().type != use.type) {
      const PipelineClass& one = classes[static_cast<std::size_t>(use.pipeline)];
      shares.push_back({.type = use.type,
                        .pipeline = use.pipeline,
                        .replicas = one.replicas,
                        .fewer = one.fewer,
                        .micro_batches = one.micro_batches,
                        .first_stage = use.stage});
    }
    TypeShare& share = shares.back();
    share.last_stage = use.stage;
    share.gpus += share.replicas * strategy.tp * strategy.cp;
    share.layers.push_back(use.layers);
    share.pass = std::max(share.pass, use.pass);
    share.memory = std::max(share.memory, use.memory.total());
  }
  return shares;
}

}  // namespace railyard::placement
