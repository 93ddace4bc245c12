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
  std::vector<Slowdown> slowdowns{};  ///< of dimensions by concurrent ones, on the type with most
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

/// Simulates the candidates' collectives under each of their mappings: the groups of each dimension
/// together, then all concurrent dimensions together (ContendedCollectives). The step is then run
/// pass by pass with these times (run_step). Groups on several types run together too; of them the
/// slowest with a GPU of a type counts for that type. Order: those that were run, fastest first;
/// then the others as they were.
[[nodiscard]] std::vector<Verified> verify_search(const VerifyRequest& request,
                                                  std::span<const Scored> candidates);

}  // namespace railyard::placement
