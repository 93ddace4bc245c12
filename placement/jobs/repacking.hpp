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
/// Moves that together free nodes. Their targets are free now, so the order of moves is irrelevant.
using MovePlan = std::vector<JobMove>;

/// At most four plans that move running jobs to free nodes for a strategy, the fewest moved GPUs
/// first. One plan per pod frees enough leaves by moving the fewest and smallest jobs. Further
/// plans move one of the eight smallest jobs, if the busiest links are at least 1 % less busy
/// without it. Does not simulate.
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
  /// Seconds until the job has gained as much GPU time as the moved jobs lose:
  /// lost / (GPUs · (1 - after / before)). Empty if they lose none.
  std::optional<double> payback{};
};
/// The plans that shorten the simulated step by more than 0.5 %.
[[nodiscard]] std::vector<Repacking> repackings(const PlaceProblem& problem,
                                                const EngineFactory& engines,
                                                const Strategy& strategy, Time restart);

}  // namespace railyard::placement
