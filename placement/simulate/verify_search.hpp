#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "placement/cost/scored.hpp"
#include "placement/simulate/contention.hpp"
#include "placement/simulate/step_run.hpp"

namespace railyard::placement {

/// A strategy by formula, and what its step takes with its collectives run by an engine.
struct Verified {
  Scored scored{};
  std::optional<StepCost> simulated{};
  std::size_t mapping = 0;            ///< which of the request's mappings that was, the fastest
  std::vector<Slowdown> slowdowns{};  ///< of dimensions by others that run at the same time
  std::string why_not{};              ///< why the engine could not run it
  std::map<int, StepRun> runs{};      ///< the steps that were asked for, by their micro-batches
};

/// How candidates are run again.
struct VerifyRequest {
  const CostContext& context;  ///< by formula
  const Engine& engine;
  /// Where the ranks of a strategy may sit: at least one way, the first of equals is taken.
  std::function<std::vector<Mapping>(const Strategy&)> mappings;
  std::function<bool(double done)> keep_going{};  ///< asked before each; false stops
  std::vector<int> runs{};  ///< steps to keep: of so many micro-batches at most, 0 of all
};

/// Runs the candidates' collectives under each of their mappings, each dimension's groups all
/// together and then all dimensions that are under way at once (ContendedCollectives), and puts the
/// candidates in the order of what came: those that were run first, fastest first; the others
/// behind as they stood. The step is then run pass by pass with these times (run_step).
[[nodiscard]] std::vector<Verified> verify_search(const VerifyRequest& request,
                                                  std::span<const Scored> candidates);

}  // namespace railyard::placement
