#pragma once

#include <span>

#include "apps/output/rows.hpp"
#include "apps/validate/training/step_errors.hpp"

namespace railyard::apps {

/// A row per measured step with its prediction.
[[nodiscard]] RowTable tabulate_steps(const TrainingMap& map, std::span<const JudgedStep> steps);

}  // namespace railyard::apps
