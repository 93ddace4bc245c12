#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "placement/jobs/place_problem.hpp"
#include "placement/simulate/verify_search.hpp"

namespace railyard::placement {

/// Makes the engine that runs a problem's collectives, with the problem's faults and the bandwidth
/// that other jobs leave. The problem must outlive the engine.
using EngineFactory = std::function<std::shared_ptr<const Engine>(const PlaceProblem&)>;

/// A strategy on the nodes where it runs, with its step there.
struct NodeChoice {
  Verified run;
  Mapping mapping;

  /// The simulated step; by formula if the engine could not run it.
  [[nodiscard]] Time step() const;
};

/// The strategy on the fastest of these mappings, simulated with the traffic of other jobs.
[[nodiscard]] NodeChoice fastest_of(const PlaceProblem& problem, const EngineFactory& engines,
                                    const Strategy& strategy, std::vector<Mapping> mappings);
/// The strategy on the best of the problem's free nodes: the faster of the searched mapping and the
/// ranks in order.
[[nodiscard]] NodeChoice choose_nodes(const PlaceProblem& problem, const EngineFactory& engines,
                                      const Strategy& strategy);

/// What a job sends in one second, spread evenly over a step of `step` seconds, as traffic between
/// GPUs of the cluster.
[[nodiscard]] std::vector<Traffic> traffic_per_second(const Job& job, const Strategy& strategy,
                                                      const Mapping& mapping, double step);

}  // namespace railyard::placement
