#pragma once

#include <optional>
#include <span>
#include <string>

#include "placement/capacity/training/training_option.hpp"

namespace railyard::placement {

/// Limits of a plan.
struct PlanLimits {
  std::optional<double> days{};
  std::optional<double> budget{};    ///< rent, in the currency of the plan
  std::optional<double> power_MW{};  ///< peak
};

/// Marks the options within the limits, and among these the cheapest, the fastest, and those that
/// no other option beats in days, cost, energy and GPUs (Pareto set). Without prices energy
/// replaces cost.
void choose(std::span<TrainingOption> options, const PlanLimits& limits);

/// The option that exceeds the limits least, by the smallest of its largest ratios to a limit,
/// which `ratio` gets. Null without options.
[[nodiscard]] const TrainingOption* nearest_option(std::span<const TrainingOption> options,
                                                   const PlanLimits& limits, double& ratio);

/// The cheapest option within the limits, or else the nearest_option. Requires an option.
[[nodiscard]] const TrainingOption& chosen_option(std::span<const TrainingOption> options,
                                                  const PlanLimits& limits);

}  // namespace railyard::placement
