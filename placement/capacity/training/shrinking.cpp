#include "placement/capacity/training/shrinking.hpp"

#include <algorithm>

namespace railyard::placement {

Shrinking compare_recovery(const TrainingRequest& request, const OptionCase& one) {
  OptionCase with = one;
  with.shrunk = shrunk_strategy(one.problem, one.scored, ShrunkSearch::elastic);
  Shrinking found{.strategy = with.shrunk};
  RunSetup setup = run_setup(request, with, RangeEnd::value);
  std::vector<int> spares{0, setup.spares / 2, setup.spares};
  spares.erase(std::unique(spares.begin(), spares.end()), spares.end());
  const auto outcome = [&](NodeMissing what) -> RecoveryOutcome {
    setup.node_missing = what;
    const GoodputEstimate estimate = simulate_goodput(setup, request.runs);
    return {.goodput = estimate.goodput.mean, .days = estimate.elapsed.mean / 86'400};
  };
  for (const int count : spares) {
    setup.spares = count;
    found.policies.push_back({.spares = count,
                              .waiting = outcome(NodeMissing::wait),
                              .shrinking = outcome(NodeMissing::shrink),
                              .fastest = outcome(NodeMissing::fastest)});
  }
  return found;
}

}  // namespace railyard::placement
