#include "placement/capacity/training/shrinking.hpp"

#include <algorithm>

#include "placement/jobs/elastic_options.hpp"
#include "placement/jobs/mapper.hpp"

namespace railyard::placement {
namespace {

/// Speeds with 1, 2, ... nodes missing, as long as the smaller strategy has its GPUs.
std::vector<double> speeds_of(const Shrinking& found, const RunSetup& setup, int per_node) {
  const int needed = (found.gpus + per_node - 1) / per_node;
  return std::vector<double>(static_cast<std::size_t>(std::max(0, setup.nodes - needed)),
                             found.speed);
}

}  // namespace

Shrinking compare_recovery(const TrainingRequest& request, const PlaceProblem& problem,
                           const ClusterParts& parts, const Scored& scored) {
  const int per_node = parts.gpus_per_node(), gpus = scored.strategy.gpus();
  Shrinking found;
  if (gpus > per_node) {
    const std::vector<Rank> free = problem.free();
    const std::span<const Rank> all(free);
    const Placed before{
        scored.strategy,
        ordered_mapping(scored.strategy, all.first(static_cast<std::size_t>(gpus)), problem.order)};
    const auto left = all.first(static_cast<std::size_t>(gpus - per_node));
    const PlaceProblem smaller = with_gpus(problem, gpus - per_node);
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
  RunSetup setup = run_setup(request, problem, parts, scored, RangeEnd::value);
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
