#pragma once

#include <span>
#include <vector>

#include "apps/cli/context.hpp"
#include "apps/place/place_request.hpp"
#include "placement/jobs/alternatives.hpp"
#include "placement/jobs/plan_options.hpp"

namespace railyard::apps {

/// The number of GPUs and the batch to place a job with.
struct PlanChoice {
  placement::PlaceProblem problem;               ///< with the chosen ones
  std::vector<placement::PlanOption> options{};  ///< empty where there was no choice
  bool stopped = false;                          ///< before all options were searched
};

/// Chooses where there are several batches, or an objective other than time (plan_options()).
/// Throws InputError where no option is within --max-days.
[[nodiscard]] PlanChoice choose_plan(const PlaceRequest& request, placement::PlaceProblem problem,
                                     Context& context);

/// A line per option.
[[nodiscard]] RowTable tabulate_plan_options(std::span<const placement::PlanOption> options);

/// Adds days, cost and energy of the options, or without options of the strategies that were found
/// and of their alternatives, where an objective is asked for. Returns whether the best is within
/// --max-days.
[[nodiscard]] bool add_training_totals(const PlaceRequest& request, const PlanChoice& choice,
                                       std::span<const placement::SimulatedStrategy> found,
                                       std::span<const placement::Alternative> alternatives,
                                       ResultDocument& document);

}  // namespace railyard::apps
