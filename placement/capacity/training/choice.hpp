#pragma once

#include <optional>
#include <span>
#include <string>

#include "placement/capacity/training/training_option.hpp"

namespace railyard::placement {

/// What a plan must keep to.
struct PlanLimits {
  std::optional<double> days{};
  std::optional<double> budget{};    ///< rent, in the currency of the plan
  std::optional<double> power_MW{};  ///< peak
};

/// Marks which options are within the limits, and of these the cheapest, the fastest and those that
/// no other beats in days, cost, energy and GPUs (Pareto). Without prices energy stands for cost.
void choose(std::span<TrainingOption> options, const PlanLimits& limits);

/// The option that misses the limits least: the least of its largest ratio to a limit. Null where
/// there are none. `ratio` gets that ratio.
[[nodiscard]] const TrainingOption* nearest_option(std::span<const TrainingOption> options,
                                                   const PlanLimits& limits, double& ratio);

/// The cheapest within the limits, else the nearest. There must be an option.
[[nodiscard]] const TrainingOption& chosen_option(std::span<const TrainingOption> options,
                                                  const PlanLimits& limits);

}  // namespace railyard::placement
