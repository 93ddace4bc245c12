#include "placement/capacity/training/shrunk_strategy.hpp"

#include <algorithm>

#include "placement/jobs/elastic_options.hpp"
#include "placement/jobs/mapper.hpp"

namespace railyard::placement {
namespace {

/// The types of GPU without one node of the type that the strategy uses most.
std::vector<GpuType> without_node(std::vector<GpuType> types, const Strategy& strategy) {
  const std::vector<int> used = gpus_used(strategy, types.size());
  const auto most = static_cast<std::size_t>(std::ranges::max_element(used) - used.begin());
  for (std::size_t t = 0; t < used.size(); ++t)
    types[t].taken = used[t] - (t == most ? std::min(used[t], types[t].gpus_per_node()) : 0);
  return types;
}

std::optional<Scored> same_split_on(const PlaceProblem& problem, const std::vector<GpuType>& types,
                                    const Strategy& strategy) {
  std::vector<const CommunicationModel*> models;
  for (const ClosedForm& form : problem.communication) models.push_back(&form);
  return same_split(cost_context(problem.job, types, models, problem.order), strategy);
}

/// Keeps the faster strategy in `best`. `whole`: step with all nodes.
void consider(ShrunkStrategy& best, Time whole, Time step, const Strategy& strategy) {
  const double speed = whole.seconds() / step.seconds();
  if (speed <= best.speed) return;
  best = {.gpus = strategy.gpus(), .speed = std::min(1.0, speed), .strategy = to_text(strategy)};
}

}  // namespace

ShrunkStrategy shrunk_strategy(const PlaceProblem& problem, const Scored& scored,
                               ShrunkSearch how) {
  const std::vector<GpuType> types = without_node(problem.types, scored.strategy);
  const Time whole = score(problem.context(), scored.strategy).step.total;
  ShrunkStrategy best;
  if (std::ranges::all_of(types, [](const GpuType& type) { return type.gpus() == 0; })) return best;
  if (how == ShrunkSearch::same_split) {
    if (const auto same = same_split_on(problem, types, scored.strategy); same && same->fits)
      consider(best, whole, same->step.total, same->strategy);
    return best;
  }
  const Placed before{scored.strategy,
                      ordered_mapping(scored.strategy, free_gpus(problem.types), problem.order)};
  PlaceProblem smaller = problem;
  smaller.types = types;
  std::vector<Rank> left;
  for (const GpuType& type : types)
    left.insert(left.end(), type.free.begin(), type.free.begin() + type.gpus());
  const ElasticResult options =
      elastic_options({.problem = smaller, .before = before, .left = left});
  for (const ElasticOption& option : options.options)
    if (option.fits) consider(best, whole, option.step, option.strategy);
  return best;
}

std::vector<double> shrunk_speeds(const ShrunkStrategy& shrunk, int nodes, int gpus_per_node) {
  if (!shrunk.exists()) return {};
  const int needed = (shrunk.gpus + gpus_per_node - 1) / gpus_per_node;
  return std::vector<double>(static_cast<std::size_t>(std::max(0, nodes - needed)), shrunk.speed);
}

}  // namespace railyard::placement
