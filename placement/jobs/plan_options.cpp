#include "placement/jobs/plan_options.hpp"

#include <algorithm>

namespace railyard::placement {
namespace {

std::optional<PlanOption> option_on(const PlaceProblem& problem, const PlanRequest& request,
                                    int gpus, bool& stopped) {
  const CostContext context = problem.context();
  SearchSpace space = request.space;
  space.gpus = gpus;
  space.top = 1;
  if (context.types.size() > 1) aim(space, context, request.goal);
  if (request.keep_going)
    space.keep_going = [&](double done) {
      return request.keep_going(gpus, problem.job.batch, done);
    };
  const SearchResult found = search(context, space);
  stopped = found.stopped;
  if (found.best.empty()) return std::nullopt;
  return plan_option(problem, found.best.front(), request.goal);
}

/// Bisection, down to one node, between the smallest number of GPUs that meets the days and the
/// next smaller one that does not. Finds the smallest number that meets the days if fewer GPUs
/// never take less time. Requires options of one batch, most GPUs first.
void find_least(const PlaceProblem& problem, const PlanRequest& request, PlanResult& result,
                std::size_t first) {
  const int node = problem.types.front().gpus_per_node();
  const auto gpus_of = [](const PlanOption& option) { return option.best.strategy.gpus(); };
  int enough = 0, few = 0;
  for (std::size_t i = first; i < result.options.size(); ++i) {
    const int gpus = gpus_of(result.options[i]);
    if (result.options[i].allowed) enough = gpus;
    if (!result.options[i].allowed && enough > 0) few = std::max(few, gpus);
  }
  while (few > 0 && enough - few > node && !result.stopped) {
    const int middle = (few + enough) / 2 / node * node;
    if (middle <= few) break;
    auto option = option_on(problem, request, middle, result.stopped);
    const bool is_enough = option && option->allowed;
    (is_enough ? enough : few) = middle;
    if (option) result.options.push_back(std::move(*option));
  }
  std::sort(result.options.begin() + static_cast<std::ptrdiff_t>(first), result.options.end(),
            [&](const PlanOption& a, const PlanOption& b) { return gpus_of(a) > gpus_of(b); });
}

/// The value to minimise. The objective time uses the time per sequence, so that batches compare.
double choice_value(Objective objective, const PlanOption& option) {
  const double value = value_of(objective, option.best, option.totals);
  return objective == Objective::time ? value / option.batch : value;
}

}  // namespace

std::vector<int> batches_to_try(const Job& job, bool listed, std::optional<int> max_batch) {
  std::vector<int> batches{job.batch};
  if (listed) batches.insert(batches.end(), job.batches.begin(), job.batches.end());
  if (max_batch) {
    for (std::int64_t b = 2LL * job.batch; b <= *max_batch; b *= 2)
      batches.push_back(static_cast<int>(b));
    std::erase_if(batches, [&](int b) { return b > *max_batch; });
  }
  std::ranges::sort(batches);
  batches.erase(std::unique(batches.begin(), batches.end()), batches.end());
  return batches;
}

PlanOption plan_option(const PlaceProblem& problem, const ScoredStrategy& scored,
                       const Goal& goal) {
  PlanOption option{.best = scored,
                    .totals = training_totals(problem.job, scored, goal.tokens, goal.rates),
                    .batch = problem.job.batch};
  (void)value_of(goal.objective, scored, option.totals);  // throws if a rate is missing
  option.allowed = goal.most_days <= 0 || option.totals.days <= goal.most_days;
  return option;
}

PlanResult plan_options(const PlaceProblem& problem, const PlanRequest& request) {
  const Objective objective = request.goal.objective;
  const bool several = problem.types.size() > 1;
  PlanResult result;
  for (const int batch : request.batches) {
    if (result.stopped) break;
    const PlaceProblem variant = with_batch(problem, batch);
    const std::size_t first = result.options.size();
    for (int gpus = problem.gpus(); gpus >= 1 && !result.stopped; gpus /= 2) {
      auto option = option_on(variant, request, gpus, result.stopped);
      if (!option) break;
      result.options.push_back(std::move(*option));
      if (objective == Objective::time || several || gpus % 2 != 0) break;
    }
    if (request.goal.most_days > 0 && objective != Objective::time && !several)
      find_least(variant, request, result, first);
  }
  PlanOption* chosen = nullptr;
  for (PlanOption& option : result.options)
    if (option.allowed &&
        (chosen == nullptr || choice_value(objective, option) < choice_value(objective, *chosen)))
      chosen = &option;
  if (chosen != nullptr) chosen->chosen = true;
  return result;
}

const PlanOption* chosen_of(std::span<const PlanOption> options) {
  const auto chosen = std::ranges::find_if(options, &PlanOption::chosen);
  return chosen == options.end() ? nullptr : &*chosen;
}

}  // namespace railyard::placement
