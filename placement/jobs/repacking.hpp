#pragma once

#include <optional>
#include <vector>

#include "placement/jobs/mapper.hpp"
#include "placement/jobs/node_choice.hpp"

namespace railyard::placement {

/// A running job that moves to other GPUs.
struct JobMove {
  std::size_t tenant = 0;  ///< index into Occupancy::jobs
  std::vector<Rank> from, to;
};
/// Moves that make room together; their targets are free now, so their order does not matter.
using MovePlan = std::vector<JobMove>;

/// Moves of running jobs that could make room for a strategy, the fewest moved GPUs first, at most
/// four plans: per pod, free enough leaves by moving the fewest and smallest jobs; and each of the
/// eight smallest jobs alone, where the busiest links without it are at least 1 % less busy.
/// Nothing is simulated.
[[nodiscard]] std::vector<MovePlan> move_plans(const PlaceProblem& problem, const Mapper& mapper,
                                               const Strategy& strategy);

/// The occupancy with the moved jobs on their new GPUs.
[[nodiscard]] Occupancy after_moves(Occupancy occupancy, const MovePlan& plan);

/// GPU seconds that moved jobs lose: each of their GPUs waits for the restart and for the job's
/// state to be copied over the NICs of its new nodes.
[[nodiscard]] double lost_gpu_seconds(const PlaceProblem& problem, const MovePlan& plan,
                                      Time restart);

/// A plan that shortens the simulated step.
struct Repacking {
  MovePlan moves;
  double step_before = 0, step_after = 0;  ///< seconds
  /// Seconds until the GPU time that the job gains makes up for what the moved jobs lose:
  /// lost / (GPUs · (1 - after / before)). Nothing where they lose nothing.
  std::optional<double> payback{};
};
/// The plans that shorten the simulated step by more than 0.5 %.
[[nodiscard]] std::vector<Repacking> repackings(const PlaceProblem& problem,
                                                const EngineFactory& engines,
                                                const Strategy& strategy, Time restart);

}  // namespace railyard::placement
