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
  ScoredStrategy best{};
  TrainingTotals totals{};
  int batch = 0;
  bool allowed = true;  ///< within the goal's days
  bool chosen = false;
};

/// The options that plan_options() searches.
struct PlanRequest {
  std::vector<int> batches{};
  Goal goal{};
  SearchSpace space{};  ///< gpus and top are ignored
  /// Called with the batch and the GPUs of the current search, and its progress (0 to 1); returning
  /// false stops it.
  std::function<bool(int gpus, int batch, double done)> keep_going{};
};
/// The options, and whether the search was stopped.
struct PlanResult {
  std::vector<PlanOption> options{};  ///< one is chosen, unless none meets the days
  bool stopped = false;
};

/// The batches to try, ascending: the job's own; with `listed` those that the job lists; with
/// `max_batch` 2, 4, ... times the job's own. Batches above max_batch are removed; may be empty.
[[nodiscard]] std::vector<int> batches_to_try(const Job& job, bool listed,
                                              std::optional<int> max_batch);

/// Searches with each batch on all GPUs. With an objective other than time it also searches on a
/// half, a quarter, ... of them while a strategy fits; with several types one search chooses the
/// number of GPUs of each (aim()). Chooses the option with the least value of the objective, or
/// with the objective time the least time per sequence. Throws InputError if the rate of an
/// objective is missing.
[[nodiscard]] PlanResult plan_options(const PlaceProblem& problem, const PlanRequest& request);

/// The option of a strategy that was found with the problem's batch.
[[nodiscard]] PlanOption plan_option(const PlaceProblem& problem, const ScoredStrategy& scored,
                                     const Goal& goal);

/// The chosen option; null if there is none.
[[nodiscard]] const PlanOption* chosen_of(std::span<const PlanOption> options);

}  // namespace railyard::placement
