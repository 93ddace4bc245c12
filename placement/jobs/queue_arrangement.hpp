#pragma once

#include <span>
#include <string>
#include <vector>

#include "placement/jobs/candidates.hpp"
#include "placement/jobs/given_strategy.hpp"
#include "placement/jobs/node_choice.hpp"

namespace railyard::placement {

/// A job of a queue, with the strategy that it uses on the free nodes when it runs there alone.
struct ArrivingJob {
  std::string name;
  PlaceProblem problem;  ///< with every free node to choose from
  Strategy strategy{};
  double step_alone = 0;  ///< seconds, on the best of the free nodes
};

/// A job with the best strategy of its problem, as `request` finds it (its `given` is that of the
/// problem), and its step on the best of the free nodes. Throws InputError where none fits.
[[nodiscard]] ArrivingJob arriving_job(const std::string& name, GivenProblem given,
                                       CandidateRequest request);

/// The nodes of the jobs of a queue, by job. A job without enough free nodes has an empty mapping.
struct QueueArrangement {
  std::vector<Mapping> mappings;
  std::vector<double> steps;  ///< seconds, simulated beside all other jobs of the arrangement
  double lost_gpus = 0;       ///< sum over jobs of GPUs · (1 - step alone / step)
  std::size_t placed = 0;
};

/// The problem of job `index` on the nodes that the other placed jobs leave, with their traffic.
[[nodiscard]] PlaceProblem beside_others(std::span<const ArrivingJob> jobs,
                                         const QueueArrangement& placed, std::size_t index);

/// Gives nodes to the jobs one after the other in this order, each simulated beside the jobs placed
/// before it; then each is simulated again beside all others.
[[nodiscard]] QueueArrangement arrange(std::span<const ArrivingJob> jobs,
                                       const EngineFactory& engines,
                                       std::span<const std::size_t> order);

/// The better of two orders, that of the queue and the largest job first: the one that places more
/// jobs, then the one with less lost GPU time.
[[nodiscard]] QueueArrangement arrange_queue(std::span<const ArrivingJob> jobs,
                                             const EngineFactory& engines);

}  // namespace railyard::placement
