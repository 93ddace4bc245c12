#pragma once

#include <string>
#include <vector>

#include "placement/jobs/node_choice.hpp"
#include "placement/jobs/place_problem.hpp"

namespace railyard::placement {

/// A component that works, but slowly, and what it costs until it is found.
struct GreyFailure {
  std::string name{};
  Time step{};          ///< with it
  double slowdown = 1;  ///< of a step, over one without it, timed in the same way
  double gpu_hours_lost = 0;
  std::string why_not{};  ///< where it cannot be simulated
};

/// A GPU that computes 10 % slower, by formula: all others wait for it at the next collective, so
/// the job runs as if every GPU were that slow, an upper bound with pipelines. A NIC at half rate,
/// a NIC that is down for 10 % of the time (a flapping link), and a lost link between a leaf and a
/// spine, and ECMP in place of the fabric's routing: the step's collectives simulated on the fabric
/// with that fault. `detection`: seconds until
/// it is found.
[[nodiscard]] std::vector<GreyFailure> grey_failures(const PlaceProblem& problem,
                                                     const Strategy& strategy,
                                                     const EngineFactory& engines,
                                                     double detection);

}  // namespace railyard::placement
