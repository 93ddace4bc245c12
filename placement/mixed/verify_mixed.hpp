#pragma once

#include "placement/mixed/mixed_cost.hpp"
#include "placement/simulate/contention.hpp"

namespace railyard::placement {

/// A mixed strategy by formula, and what its step takes with its collectives run by an engine.
struct MixedVerified {
  MixedScored scored{};
  std::optional<StepCost> simulated{};
  std::size_t mapping = 0;            ///< which of the request's mappings that was, the fastest
  std::vector<Slowdown> slowdowns{};  ///< of dimensions by others, on the type where it is most
  std::string why_not{};              ///< why the engine could not run it
};

/// How mixed candidates are run again.
struct MixedVerifyRequest {
  const MixedContext& context;  ///< by formula
  const Engine& engine;
  /// Where the ranks of a strategy may sit, each on GPUs of its type; at least one way.
  std::function<std::vector<Mapping>(const MixedStrategy&)> mappings;
  std::function<bool(double done)> keep_going{};  ///< asked before each; false stops
};

/// verify_search for strategies over several types: all groups of a dimension run together, on
/// whatever type they are, and of them the slowest with a GPU of a type counts for that type; what
/// is under way at the same time then is run together for all types too (docs/models/mixed.md).
[[nodiscard]] std::vector<MixedVerified> verify_mixed(const MixedVerifyRequest& request,
                                                      std::span<const MixedScored> candidates);

}  // namespace railyard::placement
