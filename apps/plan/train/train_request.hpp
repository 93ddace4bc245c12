#pragma once

#include "apps/output/rows.hpp"
#include "apps/plan/train/train_flags.hpp"
#include "placement/capacity/training/training_plan_request.hpp"

namespace railyard::apps {

/// Reads the files and checks the flags. Adds files and assumptions to `provenance`. Throws
/// InputError for invalid values, different currencies, and unknown candidates.
[[nodiscard]] placement::TrainingPlanRequest train_request(const TrainFlags& flags,
                                                           Provenance& provenance);

}  // namespace railyard::apps
