#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "placement/capacity/training/training_option.hpp"

namespace railyard::placement {

/// A grey failure and what it costs a run; no numbers if it could not be simulated or does not slow
/// the step.
struct GreyEffect {
  std::string name{}, why_not{};
  std::optional<double> step_s{}, slowdown{};
  std::optional<double> per_year{};       ///< how often it begins, for all components of the job
  std::optional<double> found_after_h{};  ///< mean
  std::optional<double> found_in_run{};   ///< number of those that are found in the run
  std::optional<double> wasted_gpu_hours{};
};

/// The effect of each grey failure of an option on its run. `processes`: those of the run.
[[nodiscard]] std::vector<GreyEffect> grey_effects(const TrainingOption& option,
                                                   std::span<const GreyProcess> processes);

}  // namespace railyard::placement
