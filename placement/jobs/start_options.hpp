#pragma once

#include <optional>
#include <string>
#include <vector>

#include "placement/jobs/node_choice.hpp"

namespace railyard::placement {

/// When a running job ends.
struct JobEnd {
  Time at;
  std::size_t tenant = 0;  ///< index into Occupancy::jobs
};
/// The known ends of running jobs, in order of time.
[[nodiscard]] std::vector<JobEnd> job_ends(const Occupancy& occupancy);

/// A possible start of a job: now, or when a running job has ended.
struct StartOption {
  double wait = 0;      ///< seconds until the start
  std::string after{};  ///< the running job that must end first; empty: start now
  std::size_t free_gpus = 0, leaf_groups = 0;
  std::string nodes{};
  double step = 0;               ///< seconds
  std::optional<double> done{};  ///< seconds from now until all steps are done
  /// Run time in seconds above which this start ends earlier than a start now. With wait w, steps
  /// of a seconds now and b seconds later: n a = w + n b, so n a = w / (1 - b / a).
  std::optional<double> break_even{};
};

/// The start now, and the starts after the next twelve ends of running jobs that have shorter steps
/// than every earlier start. Each start is simulated. `steps`: length of the job, if known.
[[nodiscard]] std::vector<StartOption> start_options(const PlaceProblem& problem,
                                                     const EngineFactory& engines,
                                                     const Strategy& strategy,
                                                     std::optional<double> steps);

/// The time at which enough GPUs are free.
struct FreeAt {
  Time at;
  std::string job;       ///< the running job that ends then
  std::size_t gpus = 0;  ///< GPUs that are free then
};
/// The first end of a running job after which at least `wanted` GPUs are free; empty if no known
/// end is sufficient. `free`: GPUs that are free now.
[[nodiscard]] std::optional<FreeAt> when_free(const topology::Cluster& cluster,
                                              const Occupancy& occupancy, std::size_t free,
                                              std::size_t wanted);
/// The same as text: "56 are free in 0.5 h, when speech ends"; "" if no known end is sufficient.
[[nodiscard]] std::string when_free_text(const topology::Cluster& cluster,
                                         const Occupancy& occupancy, std::size_t free,
                                         std::size_t wanted);

}  // namespace railyard::placement
