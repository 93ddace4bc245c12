#pragma once

#include <span>
#include <string>
#include <vector>

#include "placement/capacity/training/training_plan_request.hpp"

namespace railyard::placement {

/// The answer in sentences: the cheapest and the fastest option within the limits; or the limit
/// that cannot be met, by how much, and the nearest option.
[[nodiscard]] std::vector<std::string> answer_of(const TrainingPlanRequest& request,
                                                 std::span<const TrainingOption> options);

}  // namespace railyard::placement
