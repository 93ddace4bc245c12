#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/workload/workload_result.hpp"
#include "placement/capacity/budget/assumptions.hpp"
#include "placement/capacity/goodput/grey_process.hpp"
#include "placement/jobs/place_problem.hpp"

namespace railyard::placement {

/// Makes what runs whole steps on a problem's cluster, with its faults. The problem must outlive
/// it.
using StepRunnerFactory = std::function<collectives::WorkloadRunner(const PlaceProblem&)>;

/// A component that works, but slowly, and what it does to a step.
struct GreyFailure {
  std::string name{};
  std::string_view rate{};  ///< the assumption with its rate
  Component per = Component::gpu;
  bool takes_node = false;  ///< once found, the job restarts on another node
  Time usual{}, step{};     ///< the whole step without and with it
  double slowdown = 1;      ///< step / usual, at least 1
  std::string why_not{};    ///< where it cannot be simulated
};

/// The whole step (step_workload) on the fabric with each of: a GPU that computes 10 % slower, the
/// mean over one on the first, the middle and the last stage; a NIC at half rate; a NIC that is
/// down for 10 % of the time (a flapping link), as one with 90 % of its rate; a lost link between a
/// leaf and a spine; ECMP in place of the fabric's routing (on an ECMP fabric: polarised).
[[nodiscard]] std::vector<GreyFailure> grey_failures(const PlaceProblem& problem,
                                                     const Strategy& strategy,
                                                     const StepRunnerFactory& runners);

/// What they are in a run: those that slow the step, at the rates of the assumptions for a job of
/// these components. `repair`: of a node that the job leaves.
[[nodiscard]] std::vector<GreyProcess> grey_processes(std::span<const GreyFailure> grey,
                                                      const ComponentCounts& counts,
                                                      const Assumptions& assumed, RangeEnd end,
                                                      const RepairTime& repair);

}  // namespace railyard::placement
