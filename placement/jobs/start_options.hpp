#pragma once

#include <optional>
#include <string>
#include <vector>

#include "placement/jobs/node_choice.hpp"

namespace railyard::placement {

/// The end of a running job.
struct JobEnd {
  Time at;
  std::size_t tenant = 0;  ///< index into Occupancy::jobs
};
/// Ends of the jobs whose end is known, the next first.
[[nodiscard]] std::vector<JobEnd> job_ends(const Occupancy& occupancy);

/// A time to start a job: now, or when a running job has ended.
struct StartOption {
  double wait = 0;      ///< seconds until the start
  std::string after{};  ///< the job that has to end; empty: now
  std::size_t free_gpus = 0, leaf_groups = 0;
  std::string nodes{};
  double step = 0;               ///< seconds
  std::optional<double> done{};  ///< seconds until all steps are done, the wait included
  /// Run time in seconds above which this start is done earlier than one now: with the wait w and
  /// steps of a now and b then, n steps take n a = w + n b for n a = w / (1 - b / a).
  std::optional<double> break_even{};
};

/// The strategy started now, and after each of the next twelve ends that gives it faster nodes than
/// every earlier start; each start is simulated. `steps`: length of the job, where it is known.
[[nodiscard]] std::vector<StartOption> start_options(const PlaceProblem& problem,
                                                     const EngineFactory& engines,
                                                     const Strategy& strategy,
                                                     std::optional<double> steps);

/// When enough GPUs are free.
struct FreeAt {
  Time at;
  std::string job;       ///< whose end that is
  std::size_t gpus = 0;  ///< free then
};
/// The first end of a running job after which at least `wanted` GPUs are free; nothing where no
/// known end is enough. `free` of them are free now.
[[nodiscard]] std::optional<FreeAt> when_free(const topology::Cluster& cluster,
                                              const Occupancy& occupancy, std::size_t free,
                                              std::size_t wanted);

}  // namespace railyard::placement
