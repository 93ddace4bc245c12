#include "placement/verify_search.hpp"

#include <algorithm>

#include "core/diagnostic.hpp"

namespace railyard::placement {

std::vector<Verified> verify_search(const VerifyRequest& request,
                                    std::span<const Scored> candidates) {
  const CostContext& c = request.context;
  ExecutedCollectives executed(request.engine, c.communication);
  const CostContext context{.job = c.job,
                            .gpu = c.gpu,
                            .communication = executed,
                            .gpus_per_node = c.gpus_per_node,
                            .order = c.order};
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
        executed.place(s, shapes, mappings[i]);
        const StepCost cost = step_cost(context, s, shapes, block_costs(context, s, shapes));
        if (one.simulated && cost.total >= one.simulated->total) continue;
        one.simulated = cost;
        one.mapping = i;
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
