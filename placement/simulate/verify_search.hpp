#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "placement/cost/scored.hpp"
#include "placement/simulate/contention.hpp"
#include "placement/simulate/step_run.hpp"
#include "placement/simulate/whole_step.hpp"

namespace railyard::placement {

/// A strategy by formula, and its step as an engine simulates it.
struct Verified {
  Scored scored{};
  std::optional<StepCost> simulated{};
  bool as_workload = false;           ///< simulated as one workload; else pass by pass
  int micro_batches = 0;              ///< that were simulated of such a step; 0: all
  double difference = 0;              ///< of their rounds (RoundsLeftOut)
  std::string why_passes{};           ///< why it was simulated pass by pass
  std::size_t mapping = 0;            ///< which of the request's mappings that was, the fastest
  std::vector<Slowdown> slowdowns{};  ///< of dimensions by concurrent traffic
  std::string why_not{};              ///< why it was not simulated
  std::map<int, StepRun> runs{};      ///< of a step pass by pass: as asked for, by micro-batches
  /// Of the fastest that ran as a workload, where asked for: of its first `micro_batches`.
  std::shared_ptr<const WholeStepRun> whole{};
};

/// Simulated operations up to which a step runs as a workload, and those of all steps of a search
/// together.
inline constexpr std::uint64_t kMostOperationsOfOne = 16'000'000, kMostOperationsOfAll = 40'000'000;
/// Operations of all ranks beyond which a step runs its first micro-batches if they stand for all.
inline constexpr std::uint64_t kOperationsInFull = 4'000'000;

/// Up to which difference of their rounds the first micro-batches of a step stand for all.
inline constexpr double kMostDifference = 2e-3;

/// How candidates are run again.
struct VerifyRequest {
  const CostContext& context;  ///< by formula
  const Engine& engine;
  /// Where the ranks of a strategy may sit: at least one way, the first of equals is taken.
  std::function<std::vector<Mapping>(const Strategy&)> mappings;
  std::function<bool(double done)> keep_going{};  ///< asked before each; false stops
  std::vector<int>
      runs{};  ///< steps pass by pass to keep: of so many micro-batches at most, 0: all
  std::uint64_t operations_in_full = kOperationsInFull;
  bool keeps_fastest = false;  ///< fills Verified::whole
  /// Only the fastest counts: candidates that cannot be it are not simulated.
  bool only_fastest = false;
};

/// Simulates the steps of the candidates under each of their mappings. A step runs as one workload
/// (step_workload). Where it is long, its first micro-batches run, and the rounds that they show
/// stand for the others (rounds_left_out). A candidate is simulated pass by pass instead
/// (StepByPasses) where the engine does not run workloads, and where it, or those before it, have
/// too many operations. Order: those that were run, fastest first; then the others as
/// they were.
///
/// With only_fastest each candidate first runs with every operation at its least time
/// (ReadyWorkload::least), which bounds its step from below. Candidates are then simulated by
/// rising bound, until the bound of the next is above the fastest step.
[[nodiscard]] std::vector<Verified> verify_search(const VerifyRequest& request,
                                                  std::span<const Scored> candidates);

}  // namespace railyard::placement
