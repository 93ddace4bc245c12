#pragma once

#include <span>
#include <string>
#include <vector>

#include "apps/plan/train/train_request.hpp"

namespace railyard::apps {

/// The answer in sentences: the cheapest and the fastest option within the limits; or which limit
/// cannot be met, by how much, and the nearest option.
[[nodiscard]] std::vector<std::string> answer_of(
    const TrainPlanRequest& request, std::span<const placement::TrainingOption> options);

}  // namespace railyard::apps
