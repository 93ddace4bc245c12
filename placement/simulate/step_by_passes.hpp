#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "placement/simulate/contention.hpp"
#include "placement/simulate/step_run.hpp"

namespace railyard::placement {

struct WholeStepRun;

/// Result of simulating the step of a strategy.
struct SimulatedStep {
  StepCost cost{};
  std::vector<Slowdown> slowdowns{};  ///< of dimensions by concurrent traffic, on the type with
                                      ///< the largest
  std::map<int, StepRun> runs{};      ///< requested timelines, by their number of micro-batches
  std::shared_ptr<const WholeStepRun> whole{};  ///< the workload and its run, if the step ran as
                                                ///< one and was kept
};

/// Steps from simulated collectives. First the groups of each dimension are simulated together,
/// then all concurrent dimensions (ContendedCollectives), and run_step computes the step with these
/// times. For a type of GPU the slowest group with a GPU of this type counts. For engines that do
/// not run whole workloads.
class StepByPasses {
 public:
  /// Both arguments must outlive it. Results of the engine are cached.
  StepByPasses(const CostContext& context, const Engine& engine);
  ~StepByPasses();

  /// Simulates a step with the ranks of `mapping`. `runs`: numbers of micro-batches of the
  /// timelines to keep (0: all).
  [[nodiscard]] SimulatedStep run(const Strategy& strategy, const Mapping& mapping,
                                  std::span<const int> runs);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace railyard::placement
