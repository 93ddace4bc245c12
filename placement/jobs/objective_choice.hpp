#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/money.hpp"
#include "placement/jobs/place_problem.hpp"
#include "placement/search/goal.hpp"

namespace railyard::placement {

/// What a user chooses a placement by. Prices and powers that are left out come from the configs of
/// the GPUs; each list has one value for all types of GPU, or one per type.
struct ObjectiveChoice {
  std::optional<Objective> objective{};  ///< nothing: time, without totals of the training
  std::optional<double> tokens{};        ///< nothing: those of the job
  std::vector<Money> prices{};           ///< per GPU-hour
  std::vector<double> gpu_watts{}, idle_watts{};
  double host_watts = 0, pue = 1;
  double most_days = 0;  ///< 0: any

  [[nodiscard]] bool is(Objective one) const { return objective == one; }
};

/// The goal, with the rates of each type of GPU. Throws InputError where neither choice nor job
/// give the tokens that the objective needs, and for lists with another number of values than there
/// are types.
[[nodiscard]] Goal goal_of(const ObjectiveChoice& choice, const PlaceProblem& problem);

/// Steps to the tokens of the choice or of the job; nothing where they are not known.
[[nodiscard]] std::optional<double> steps_to_tokens(const ObjectiveChoice& choice, const Job& job);

/// The currency of costs: of the prices, else of the configs of the GPUs. "" where the objective is
/// none of cost, or the prices have no currency. Throws InputError where two differ.
[[nodiscard]] std::string currency_of(const ObjectiveChoice& choice, const PlaceProblem& problem);

/// Notes on prices and powers that come from the config of a GPU, and on the currency of the
/// prices.
[[nodiscard]] std::vector<std::string> rate_notes(const ObjectiveChoice& choice,
                                                  const PlaceProblem& problem);

}  // namespace railyard::placement
