#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/money.hpp"
#include "placement/jobs/place_problem.hpp"
#include "placement/search/goal.hpp"

namespace railyard::placement {

/// The objective by which a user chooses a placement. Prices and powers that are left out come from
/// the GPUs' configs. Each list has one value for all GPU types, or one per type.
struct ObjectiveChoice {
  std::optional<Objective> objective{};  ///< empty: time, without totals of the training
  std::optional<double> tokens{};        ///< empty: the tokens of the job
  std::vector<Money> prices{};           ///< per GPU-hour
  std::vector<double> gpu_watts{}, idle_watts{};
  double host_watts = 0, pue = 1;
  double most_days = 0;  ///< limit of the training time; 0: no limit

  [[nodiscard]] bool is(Objective one) const { return objective == one; }
};

/// The goal, with the rates of each GPU type. Throws InputError if the objective needs tokens that
/// neither choice nor job contain, or if a list has neither one value nor one per type.
[[nodiscard]] Goal goal_of(const ObjectiveChoice& choice, const PlaceProblem& problem);

/// Number of steps for the tokens of the choice or of the job; empty if the tokens are unknown.
[[nodiscard]] std::optional<double> steps_to_tokens(const ObjectiveChoice& choice, const Job& job);

/// The currency of costs: that of the given prices, otherwise that of the GPUs' configs. "" if the
/// objective is not a cost, or the prices have no currency. Throws InputError if two prices differ
/// in currency.
[[nodiscard]] std::string currency_of(const ObjectiveChoice& choice, const PlaceProblem& problem);

/// Notes on prices and powers that come from a GPU's config, and on the currency of the prices.
[[nodiscard]] std::vector<std::string> rate_notes(const ObjectiveChoice& choice,
                                                  const PlaceProblem& problem);

}  // namespace railyard::placement
