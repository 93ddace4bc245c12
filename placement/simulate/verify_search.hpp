#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "placement/cost/scored_strategy.hpp"
#include "placement/simulate/contention.hpp"
#include "placement/simulate/step_run.hpp"
#include "placement/simulate/whole_step.hpp"

namespace railyard::placement {

/// A strategy evaluated by formula, and its simulated step.
struct SimulatedStrategy {
  ScoredStrategy scored{};
  std::optional<StepCost> simulated{};
  bool as_workload = false;           ///< simulated as one workload; false: pass by pass
  int micro_batches = 0;              ///< simulated micro-batches of the workload; 0: all
  double difference = 0;              ///< relative difference of their rounds (ExtrapolatedRounds)
  std::string why_passes{};           ///< why it was simulated pass by pass
  std::size_t mapping = 0;            ///< index of the fastest of the request's mappings
  std::vector<Slowdown> slowdowns{};  ///< of dimensions by concurrent traffic
  std::string why_not{};              ///< why it was not simulated
  std::map<int, StepRun> runs{};      ///< requested timelines, if simulated pass by pass, by
                                      ///< number of micro-batches
  /// If requested and this is the fastest strategy that ran as a workload: its first
  /// `micro_batches`.
  std::shared_ptr<const WholeStepRun> whole{};
};

/// Limits on the simulated operations of one workload, and of all workloads of a search together.
inline constexpr std::uint64_t kMostOperationsOfOne = 16'000'000, kMostOperationsOfAll = 40'000'000;
/// With more operations of all ranks than this, only the first micro-batches of a step run, if the
/// others can be extrapolated.
inline constexpr std::uint64_t kOperationsInFull = 4'000'000;

/// Largest difference of the rounds (ExtrapolatedRounds) with which a step is extrapolated.
inline constexpr double kMostDifference = 2e-3;

/// How to simulate candidates.
struct VerifyRequest {
  const CostContext& context;  ///< context of the cost formulas
  const Engine& engine;
  /// Mappings of a strategy's ranks, at least one. Among equally fast ones the first is used.
  std::function<std::vector<Mapping>(const Strategy&)> mappings;
  std::function<bool(double done)> keep_going{};  ///< called before each candidate; false stops
  std::vector<int>
      runs{};  ///< timelines to keep if simulated pass by pass: numbers of micro-batches, 0: all
  std::uint64_t operations_in_full = kOperationsInFull;
  bool keeps_fastest = false;  ///< fills SimulatedStrategy::whole
  /// Skip candidates that cannot be the fastest.
  bool only_fastest = false;
};

/// Simulates the steps of the candidates with each of their mappings. A step runs as one workload
/// (step_workload). Long steps are extrapolated from their first micro-batches (rounds_left_out). A
/// candidate is simulated pass by pass instead (StepByPasses) if the engine does not run workloads,
/// or if it or the search has too many operations. Order: simulated ones first, fastest first; then
/// the others in their order.
///
/// With only_fastest each candidate first runs with every operation at its minimum time
/// (ReadyWorkload::least), which is a lower bound of its step. Candidates are then simulated by
/// ascending bound, until the next bound exceeds the fastest step.
[[nodiscard]] std::vector<SimulatedStrategy> verify_search(
    const VerifyRequest& request, std::span<const ScoredStrategy> candidates);

}  // namespace railyard::placement
