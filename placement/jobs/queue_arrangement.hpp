#pragma once

#include <span>
#include <string>
#include <vector>

#include "placement/jobs/candidates.hpp"
#include "placement/jobs/given_strategy.hpp"
#include "placement/jobs/node_choice.hpp"

namespace railyard::placement {

/// A job of a queue, with the strategy that is best when it runs alone on the free nodes.
struct ArrivingJob {
  std::string name;
  PlaceProblem problem;  ///< may use every free node
  Strategy strategy{};
  double step_alone = 0;  ///< seconds, on the best of the free nodes
};

/// A job with the best strategy for its problem, found with `request` (whose `given` is replaced by
/// that of the problem), and its step on the best of the free nodes. Throws InputError if no
/// strategy fits.
[[nodiscard]] ArrivingJob arriving_job(const std::string& name, GivenProblem given,
                                       CandidateRequest request);

/// The nodes of the jobs of a queue, by job. A job without enough free nodes has an empty mapping.
struct QueueArrangement {
  std::vector<Mapping> mappings;
  /// Seconds, simulated together with all other jobs of the arrangement.
  std::vector<double> steps;
  double lost_gpus = 0;  ///< sum over jobs of GPUs · (1 - step alone / step)
  std::size_t placed = 0;
};

/// The problem of job `index` on the nodes that other placed jobs leave free, with their traffic.
[[nodiscard]] PlaceProblem beside_others(std::span<const ArrivingJob> jobs,
                                         const QueueArrangement& placed, std::size_t index);

/// Assigns nodes to the jobs one after another in this order. Each job is simulated together with
/// those placed before it; at the end each is simulated again together with all others.
[[nodiscard]] QueueArrangement arrange(std::span<const ArrivingJob> jobs,
                                       const EngineFactory& engines,
                                       std::span<const std::size_t> order);

/// The better of two orders: the queue's order, and largest job first. Better: more jobs are
/// placed; then, less GPU time is lost.
[[nodiscard]] QueueArrangement arrange_queue(std::span<const ArrivingJob> jobs,
                                             const EngineFactory& engines);

}  // namespace railyard::placement
