#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/cli/flags.hpp"
#include "placement/jobs/place_problem.hpp"
#include "placement/search/goal.hpp"

namespace railyard::apps {

/// What a placement is chosen by, prices and powers.
struct ObjectiveFlags {
  std::string
      objective;  ///< time, days, cost or energy; empty: time, without totals of the training
  std::optional<double> tokens;    ///< empty: those of the job
  std::vector<std::string> price;  ///< "2.5", "$2.5", "2.5 EUR": one for all types, or one per type
  std::vector<double> gpu_power, idle_power;  ///< one for all types of GPU, or one per type
  double host_power = 0, pue = 1;
  double max_days = 0;  ///< 0: any
};

void add_objective_flags(FlagSet app, ObjectiveFlags& flags);

/// The objective, with the rates of each type of GPU: those of the flags, else those of its config.
/// Throws InputError where neither flags nor job give the tokens that the objective needs, and for
/// flags with another number of values than there are types.
[[nodiscard]] placement::Goal goal_of(const ObjectiveFlags& flags,
                                      const placement::PlaceProblem& problem);

/// Steps to the tokens of the flags or of the job; nothing where they are not known.
[[nodiscard]] std::optional<double> steps_to_tokens(const ObjectiveFlags& flags,
                                                    const placement::Job& job);

/// The currency of costs: of --price, else of the configs of the GPUs. "" where the objective is
/// none of cost, or the prices have no currency. Throws InputError where two differ.
[[nodiscard]] std::string currency_of(const ObjectiveFlags& flags,
                                      const placement::PlaceProblem& problem);

/// Notes on prices and powers that come from the config of a GPU, and on the currency of --price.
[[nodiscard]] std::vector<std::string> rate_notes(const ObjectiveFlags& flags,
                                                  const placement::PlaceProblem& problem);

}  // namespace railyard::apps
