#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "placement/jobs/place_problem.hpp"
#include "placement/model/objective.hpp"
#include "placement/search/goal.hpp"
#include "placement/search/search.hpp"

namespace railyard::placement {

/// The best strategy with one batch on one number of GPUs, and the cost of the whole training.
struct PlanOption {
  Scored best{};
  TrainingTotals totals{};
  int batch = 0;
  bool allowed = true;  ///< within the goal's days
  bool chosen = false;
};

/// What plan_options() chooses from.
struct PlanRequest {
  std::vector<int> batches{};
  Goal goal{};
  SearchSpace space{};  ///< gpus and top do not count
  /// Called with the progress (0 to 1) of the search with this batch on so many GPUs; false stops.
  std::function<bool(int gpus, int batch, double done)> keep_going{};
};
struct PlanResult {
  std::vector<PlanOption> options{};  ///< one of them is chosen, unless none is within the days
  bool stopped = false;
};

/// The batches to try: the job's own, with `listed` also those that the job lists, and with
/// `max_batch` 2, 4, ... times the job's own, all up to max_batch. Ascending; may be empty.
[[nodiscard]] std::vector<int> batches_to_try(const Job& job, bool listed,
                                              std::optional<int> max_batch);

/// Searches with each batch on all GPUs; with an objective other than time also on a half, a
/// quarter, ... of them, as long as a strategy fits (over several types one search chooses the
/// number of GPUs of each, aim()). Chooses the option with the least value of the
/// objective; with the objective time, the least time per sequence. Throws InputError for an
/// objective without its rate.
[[nodiscard]] PlanResult plan_options(const PlaceProblem& problem, const PlanRequest& request);

/// The option of a strategy that was found with the problem's batch.
[[nodiscard]] PlanOption plan_option(const PlaceProblem& problem, const Scored& scored,
                                     const Goal& goal);

/// The chosen one; null where none is.
[[nodiscard]] const PlanOption* chosen_of(std::span<const PlanOption> options);

}  // namespace railyard::placement
