#pragma once

#include "apps/output/rows.hpp"
#include "apps/plan/train/train_flags.hpp"
#include "placement/capacity/training/training_plan_request.hpp"

namespace railyard::apps {

/// Reads the files and checks the flags. Adds what was read and assumed to `provenance`. Throws
/// InputError for texts of flags that are no values, currencies that differ, unknown candidates.
[[nodiscard]] placement::TrainingPlanRequest train_request(const TrainFlags& flags,
                                                           Provenance& provenance);

}  // namespace railyard::apps
