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

/// Makes the function that runs whole steps on a problem's cluster, with its faults. The problem
/// must outlive it.
using StepRunnerFactory = std::function<collectives::WorkloadRunner(const PlaceProblem&)>;

/// A kind of grey failure (a component works, but slowly), and its effect on a step.
struct GreyFailure {
  std::string name{};
  std::string_view rate{};  ///< key of the assumption with its rate
  Component per = Component::gpu;
  bool takes_node = false;  ///< once found, the job restarts on another node
  Time usual{}, step{};     ///< step without and with it
  double slowdown = 1;      ///< step / usual, at least 1
  std::string why_not{};    ///< reason, if it cannot be simulated
};

/// Simulates the whole step (step_workload) on the fabric with each of these:
///   a GPU that computes 10 % slower (mean over one on the first, middle and last stage)
///   a NIC at half rate
///   a NIC that is down for 10 % of the time (flapping link), as one with 90 % of its rate
///   a lost link between a leaf and a spine
///   ECMP instead of the fabric's routing (on an ECMP fabric: polarised hashing)
[[nodiscard]] std::vector<GreyFailure> grey_failures(const PlaceProblem& problem,
                                                     const Strategy& strategy,
                                                     const StepRunnerFactory& runners);

/// The grey failures that slow the step, as processes of a run: at the assumed rates, for a job
/// with these components. `repair`: repair of a node that the job leaves.
[[nodiscard]] std::vector<GreyProcess> grey_processes(std::span<const GreyFailure> grey,
                                                      const ComponentCounts& counts,
                                                      const Assumptions& assumed, RangeEnd end,
                                                      const RepairTime& repair);

}  // namespace railyard::placement
