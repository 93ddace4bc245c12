#pragma once

#include <span>
#include <vector>

#include "apps/cli/context.hpp"
#include "apps/place/place_request.hpp"
#include "placement/jobs/alternatives.hpp"
#include "placement/jobs/plan_options.hpp"

namespace railyard::apps {

/// The chosen number of GPUs and batch.
struct PlanChoice {
  placement::PlaceProblem problem;               ///< with the chosen batch and GPUs
  std::vector<placement::PlanOption> options{};  ///< empty if there was nothing to choose
  bool stopped = false;                          ///< ended before all options were searched
};

/// Chooses if there are several batches, or an objective other than time (plan_options()). Throws
/// InputError if no option is within --max-days.
[[nodiscard]] PlanChoice choose_plan(const PlaceRequest& request, placement::PlaceProblem problem,
                                     Context& context);

/// A row per option.
[[nodiscard]] RowTable tabulate_plan_options(std::span<const placement::PlanOption> options);

/// If an objective is given, adds days, cost and energy of the options; without options, those of
/// the found strategies and their alternatives. Returns whether the best is within --max-days.
[[nodiscard]] bool add_training_totals(const PlaceRequest& request, const PlanChoice& choice,
                                       std::span<const placement::SimulatedStrategy> found,
                                       std::span<const placement::Alternative> alternatives,
                                       ResultDocument& document);

}  // namespace railyard::apps
