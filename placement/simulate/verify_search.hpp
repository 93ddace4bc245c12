#pragma once

#include <cstdint>
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

/// A strategy by formula, and its step as an engine simulates it.
struct Verified {
  Scored scored{};
  std::optional<StepCost> simulated{};
  bool as_workload = false;           ///< simulated as one workload; else pass by pass
  std::string why_passes{};           ///< why it was simulated pass by pass
  std::size_t mapping = 0;            ///< which of the request's mappings that was, the fastest
  std::vector<Slowdown> slowdowns{};  ///< of dimensions by concurrent traffic
  std::string why_not{};              ///< why the engine could not run it
  std::map<int, StepRun> runs{};      ///< of a step pass by pass: as asked for, by micro-batches
};

/// How candidates are run again.
struct VerifyRequest {
  const CostContext& context;  ///< by formula
  const Engine& engine;
  /// Where the ranks of a strategy may sit: at least one way, the first of equals is taken.
  std::function<std::vector<Mapping>(const Strategy&)> mappings;
  std::function<bool(double done)> keep_going{};  ///< asked before each; false stops
  std::vector<int>
      runs{};  ///< steps pass by pass to keep: of so many micro-batches at most, 0: all
};

/// Simulated operations of a whole step up to which the steps of several candidates run as
/// workloads, and that of a single one.
inline constexpr std::uint64_t kMostOperationsOfMany = 4'000'000, kMostOperationsOfOne = 16'000'000;

/// Simulates the steps of the candidates under each of their mappings. A step runs as one workload
/// (step_workload). All candidates are simulated pass by pass instead (StepByPasses) where the
/// engine does not run workloads, or where a step has too many operations. Order: those that were
/// run, fastest first; then the others as they were.
[[nodiscard]] std::vector<Verified> verify_search(const VerifyRequest& request,
                                                  std::span<const Scored> candidates);

}  // namespace railyard::placement
