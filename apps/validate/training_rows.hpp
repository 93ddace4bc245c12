#pragma once

#include <span>

#include "apps/output/rows.hpp"
#include "placement/measured/efficiency_fit.hpp"
#include "placement/measured/step_errors.hpp"

namespace railyard::apps {

/// A row per measured step with its prediction.
[[nodiscard]] RowTable tabulate_steps(const placement::TrainingMap& map,
                                      std::span<const placement::PredictedStep> steps);

/// A row per set of runs.
[[nodiscard]] RowTable tabulate_step_errors(std::span<const placement::StepErrors> errors);

/// A row per GPU generation and efficiency.
[[nodiscard]] RowTable tabulate_efficiencies(const placement::EfficiencyFit& fit);

}  // namespace railyard::apps
