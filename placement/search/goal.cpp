#include "placement/search/goal.hpp"

namespace railyard::placement {

double value_in(const Goal& goal, const Job& job, const ScoredStrategy& scored) {
  return value_of(goal.objective, scored, training_totals(job, scored, goal.tokens, goal.rates));
}

void aim(SearchSpace& space, const CostContext& c, const Goal& goal) {
  const double hours = goal.tokens / (static_cast<double>(c.job.batch) * c.job.sequence) / 3600;
  if (goal.most_days > 0 && hours > 0) space.longest = goal.most_days * 24 / hours;
  if (goal.objective == Objective::time) return;
  if (c.types.size() > 1) space.counts = gpu_counts(c);
  space.value = [&c, goal](const ScoredStrategy& scored) { return value_in(goal, c.job, scored); };
  space.least = [goal, hours](std::span<const int> gpus, double seconds) {
    const double time = hours * seconds;
    if (goal.objective == Objective::days) return time / 24;
    if (goal.objective == Objective::cost) return price_of(gpus, goal.rates).value_or(0) * time;
    return least_watts(gpus, goal.rates) / 1e6 * time;
  };
}

std::vector<std::vector<int>> gpu_counts(const CostContext& context) {
  std::vector<std::vector<int>> all{{}};
  for (const TypeContext& type : context.types) {
    std::vector<int> counts{type.gpus};
    while (counts.back() % (2 * type.gpus_per_node) == 0) counts.push_back(counts.back() / 2);
    counts.push_back(0);
    std::vector<std::vector<int>> longer;
    for (const std::vector<int>& first : all) {
      for (const int count : counts) {
        longer.push_back(first);
        longer.back().push_back(count);
      }
    }
    all = std::move(longer);
  }
  all.pop_back();  // none of any
  return all;
}

}  // namespace railyard::placement
