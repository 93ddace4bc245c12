#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/cli/flags.hpp"
#include "placement/jobs/objective_choice.hpp"

namespace railyard::apps {

/// Flags of the objective, with prices and powers.
struct ObjectiveFlags {
  std::string
      objective;  ///< time, days, cost or energy; empty: time, without totals of the training
  std::optional<double> tokens;    ///< empty: the job's tokens
  std::vector<std::string> price;  ///< "2.5", "$2.5", "2.5 EUR": one for all types, or one per type
  std::vector<double> gpu_power, idle_power;  ///< one for all types of GPU, or one per type
  double host_power = 0, pue = 1;
  double max_days = 0;  ///< 0: no limit
};

/// Adds the flags of ObjectiveFlags.
void add_objective_flags(FlagSet app, ObjectiveFlags& flags);

/// Converts the flags to values. Throws InputError for an invalid price.
[[nodiscard]] placement::ObjectiveChoice objective_choice(const ObjectiveFlags& flags);

}  // namespace railyard::apps
