#pragma once

#include <string>
#include <vector>

#include "placement/cost/scored.hpp"
#include "placement/jobs/place_problem.hpp"

namespace railyard::placement {

/// The strategy with which a job continues when a node is missing.
struct ShrunkStrategy {
  int gpus = 0;            ///< 0: no strategy fits on the remaining GPUs
  double speed = 0;        ///< speed / speed with all nodes, at most 1
  std::string strategy{};  ///< to_text() of it
  [[nodiscard]] bool exists() const { return gpus > 0; }
};

/// How to find the strategy for the remaining GPUs.
enum class ShrunkSearch {
  same_split,  ///< the same strategy with as many replicas as fit
  elastic      ///< elastic_options(): the faster of the same split and the fastest strategy
};

/// The strategy without one node of the type that `scored` uses most. Both steps are computed by
/// formula.
[[nodiscard]] ShrunkStrategy shrunk_strategy(const PlaceProblem& problem, const Scored& scored,
                                             ShrunkSearch how);

/// RunSetup::shrunk: speeds with 1, 2, ... of `nodes` nodes missing, as long as enough GPUs remain
/// for the smaller strategy.
[[nodiscard]] std::vector<double> shrunk_speeds(const ShrunkStrategy& shrunk, int nodes,
                                                int gpus_per_node);

}  // namespace railyard::placement
