#include "placement/simulate/verify_search.hpp"

#include <algorithm>

#include "core/diagnostic.hpp"

namespace railyard::placement {

namespace {

/// Forward and backward of one micro-batch on the slowest stage.
Time slowest_pass(const Job& job, const Strategy& s, const StepCost& cost) {
  const Time all = cost.compute + cost.tp + cost.cp + cost.ep;
  return Time::picoseconds(all.picoseconds() / std::max(1, micro_batches(job.batch, s)));
}

}  // namespace

std::vector<Verified> verify_search(const VerifyRequest& request,
                                    std::span<const Scored> candidates) {
  const CostContext& c = request.context;
  const auto runs = std::make_shared<GroupRuns>(request.engine);
  const auto asking = [&](const CommunicationModel& communication) {
    return CostContext{.job = c.job,
                       .gpu = c.gpu,
                       .communication = communication,
                       .gpus_per_node = c.gpus_per_node,
                       .order = c.order};
  };
  std::vector<Verified> verified;
  bool goes_on = true;
  for (const Scored& scored : candidates) {
    Verified& one = verified.emplace_back(Verified{.scored = scored});
    const double done =
        static_cast<double>(verified.size() - 1) / static_cast<double>(candidates.size());
    goes_on = goes_on && (!request.keep_going || request.keep_going(done));
    if (!goes_on) continue;
    const Strategy& s = scored.strategy;
    const GroupShapes shapes = group_shapes(s, c.order, c.gpus_per_node);
    try {
      const std::vector<Mapping> mappings = request.mappings(s);
      for (std::size_t i = 0; i < mappings.size(); ++i) {
        const ExecutedCollectives executed(runs, c.communication, s, mappings[i]);
        const CostContext alone = asking(executed);
        const StepCost uncontended = step_cost(alone, s, shapes, block_costs(alone, s, shapes));
        const ContendedCollectives contended(
            executed, alone, s, shapes,
            {micro_batches(c.job.batch, s), slowest_pass(c.job, s, uncontended)});
        const CostContext context = asking(contended);
        const Blocks blocks = block_costs(context, s, shapes);
        const StepCost cost = run_step_cost(context, s, shapes, blocks);
        if (one.simulated && cost.total >= one.simulated->total) continue;
        for (const int most : request.runs)
          one.runs.insert_or_assign(most, run_step(context, s, shapes, blocks, most));
        one.simulated = cost;
        one.mapping = i;
        one.slowdowns = contended.slowdowns();
      }
    } catch (const InputError& error) {
      one.why_not = error.what();
    }
  }
  std::ranges::stable_sort(verified, [](const Verified& a, const Verified& b) {
    if (a.simulated && b.simulated) return a.simulated->total < b.simulated->total;
    return a.simulated.has_value() && !b.simulated.has_value();
  });
  return verified;
}

}  // namespace railyard::placement
