#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "placement/simulate/contention.hpp"
#include "placement/simulate/step_run.hpp"

namespace railyard::placement {

struct WholeStepRun;

/// What came of simulating the step of a strategy.
struct SimulatedStep {
  StepCost cost{};
  std::vector<Slowdown> slowdowns{};  ///< of dimensions by concurrent ones, on the type with most
  std::map<int, StepRun> runs{};      ///< the steps that were asked for, by their micro-batches
  std::shared_ptr<const WholeStepRun> whole{};  ///< of a step that ran as a workload, where kept
};

/// Steps with simulated collectives, put together pass by pass: the groups of each dimension
/// together, then all concurrent dimensions together (ContendedCollectives), then the passes with
/// these times (run_step). Groups on several types run together too; of them the slowest with a GPU
/// of a type counts for that type. For engines that do not run whole steps.
class StepByPasses {
 public:
  /// Both must outlive it. Answers of the engine are kept.
  StepByPasses(const CostContext& context, const Engine& engine);
  ~StepByPasses();

  /// With the ranks where `mapping` has them; keeps the steps of `runs` micro-batches (0: all).
  [[nodiscard]] SimulatedStep run(const Strategy& strategy, const Mapping& mapping,
                                  std::span<const int> runs);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace railyard::placement
