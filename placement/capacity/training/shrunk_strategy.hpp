#pragma once

#include <string>
#include <vector>

#include "placement/cost/scored.hpp"
#include "placement/jobs/place_problem.hpp"

namespace railyard::placement {

/// What a job goes on with when a node is missing.
struct ShrunkStrategy {
  int gpus = 0;            ///< 0: no strategy fits on what is left
  double speed = 0;        ///< over that with all nodes, at most 1
  std::string strategy{};  ///< to_text() of it
  [[nodiscard]] bool exists() const { return gpus > 0; }
};

/// How the strategy on what is left is found.
enum class ShrunkSearch {
  same_split,  ///< as many replicas of the strategy as there is room for
  elastic      ///< elastic_options(): the faster of the same split and the fastest of all
};

/// The strategy without one node of the type that `scored` uses most of. Steps are by formula on
/// both sides.
[[nodiscard]] ShrunkStrategy shrunk_strategy(const PlaceProblem& problem, const Scored& scored,
                                             ShrunkSearch how);

/// RunSetup::shrunk: speeds with 1, 2, ... of `nodes` nodes missing, as long as the smaller
/// strategy has its GPUs.
[[nodiscard]] std::vector<double> shrunk_speeds(const ShrunkStrategy& shrunk, int nodes,
                                                int gpus_per_node);

}  // namespace railyard::placement
