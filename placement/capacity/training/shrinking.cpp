#include "placement/capacity/training/shrinking.hpp"

#include <algorithm>

#include "placement/jobs/elastic_options.hpp"
#include "placement/jobs/mapper.hpp"

namespace railyard::placement {
namespace {

/// The problem on the strategy's GPUs without a node of the type that it uses most of.
PlaceProblem without_node(PlaceProblem problem, const Strategy& strategy) {
  const std::vector<int> used = gpus_used(strategy, problem.types.size());
  const auto most = static_cast<std::size_t>(std::ranges::max_element(used) - used.begin());
  for (std::size_t t = 0; t < used.size(); ++t)
    problem.types[t].taken =
        used[t] - (t == most ? std::min(used[t], problem.types[t].gpus_per_node()) : 0);
  return problem;
}

/// Speeds with 1, 2, ... nodes missing, as long as the smaller strategy has its GPUs.
std::vector<double> speeds_of(const Shrinking& found, const RunSetup& setup, int per_node) {
  const int needed = (found.gpus + per_node - 1) / per_node;
  return std::vector<double>(static_cast<std::size_t>(std::max(0, setup.nodes - needed)),
                             found.speed);
}

}  // namespace

Shrinking compare_recovery(const TrainingRequest& request, const OptionCase& one) {
  const PlaceProblem& problem = one.problem;
  const ClusterParts& parts = one.parts;
  const Scored& scored = one.scored;
  const int per_node = parts.gpus_per_node(), gpus = scored.strategy.gpus();
  Shrinking found;
  if (gpus > per_node) {
    const Placed before{scored.strategy,
                        ordered_mapping(scored.strategy, free_gpus(problem.types), problem.order)};
    const PlaceProblem smaller = without_node(problem, scored.strategy);
    std::vector<Rank> left;
    for (const GpuType& type : smaller.types)
      left.insert(left.end(), type.free.begin(), type.free.begin() + type.gpus());
    const ElasticResult options =
        elastic_options({.problem = smaller, .before = before, .left = left});
    // By formula on both sides: the smaller one is not simulated.
    const double whole = score(problem.context(), scored.strategy).step.total.seconds();
    for (const ElasticOption& option : options.options) {
      const double speed = whole / option.step.seconds();
      if (!option.fits || speed <= found.speed) continue;
      found.speed = std::min(1.0, speed);
      found.gpus = option.gpus;
      found.strategy = to_text(option.strategy);
    }
  }
  RunSetup setup = run_setup(request, one, RangeEnd::value);
  std::vector<int> spares{0, setup.spares / 2, setup.spares};
  spares.erase(std::unique(spares.begin(), spares.end()), spares.end());
  for (const int count : spares) {
    setup.spares = count;
    setup.shrunk.clear();
    const GoodputEstimate waits = simulate_goodput(setup, request.runs);
    RecoveryPolicy policy{.spares = count,
                          .waiting = waits.goodput.mean,
                          .waiting_days = waits.elapsed.mean / 86'400};
    setup.shrunk = speeds_of(found, setup, per_node);
    const GoodputEstimate shrinks = simulate_goodput(setup, request.runs);
    policy.shrinking = shrinks.goodput.mean;
    policy.shrinking_days = shrinks.elapsed.mean / 86'400;
    found.policies.push_back(policy);
  }
  return found;
}

}  // namespace railyard::placement
