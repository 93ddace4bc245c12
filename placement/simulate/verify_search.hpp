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
  /// Whether a step of many micro-batches is run with few of them, and extended (extended_step).
  bool shortens = false;
};

/// The step of m micro-batches from those of a and b of them, a < b <= m, that run as workloads. In
/// its steady state a step repeats, so that every part of it grows by the same with each further
/// micro-batch:
///   T(m) = T(b) + (m - b) / (b - a) (T(b) - T(a)).
/// Example: 10 s with 8 and 12 s with 12 micro-batches are 72 s with 132.
[[nodiscard]] StepCost extended_step(const StepCost& fewer, int a, const StepCost& more, int b,
                                     int m);

/// Simulated operations of a whole step up to which the steps of several candidates run as
/// workloads, and that of a single one.
inline constexpr std::uint64_t kMostOperationsOfMany = 4'000'000, kMostOperationsOfOne = 16'000'000;

/// Simulates the steps of the candidates under each of their mappings. A step runs as one workload
/// (step_workload). All candidates are simulated pass by pass instead (StepByPasses) where the
/// engine does not run workloads, or where a step has too many operations. Order: those that were
/// run, fastest first; then the others as they were. With `shortens` a step on GPUs of one type
/// with more than four times p + 2 micro-batches per pipeline of p stages is run with 2 p and 3 p
/// of them (p at least 2), and extended.
[[nodiscard]] std::vector<Verified> verify_search(const VerifyRequest& request,
                                                  std::span<const Scored> candidates);

}  // namespace railyard::placement
