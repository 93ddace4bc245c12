#pragma once

#include <vector>

#include "placement/capacity/goodput/goodput.hpp"
#include "placement/capacity/training/shrinking.hpp"
#include "placement/capacity/training/training_plan_request.hpp"

namespace railyard::placement {

/// Effects of failures on an option's training, beyond its goodput.
struct FailureStudy {
  /// The five causes that waste most, each also simulated with half of its rate.
  std::vector<WasteShare> wastes{};
  Shrinking recovery{};             ///< comparison of waiting for repairs and shrinking
  std::vector<GreyProcess> grey{};  ///< grey failures in its runs
};

/// Studies an option of a plan. Throws InputError if its cluster can no longer be read.
[[nodiscard]] FailureStudy failure_study(const TrainingPlanRequest& request,
                                         const TrainingOption& option);

/// The price of a GPU-hour in the cost of an option, whose spare nodes are rented too:
///
///     price = cost / (hours * (GPUs + spares * GPUs per node))
///
/// Requires a cost.
[[nodiscard]] double price_in_cost(const TrainingOption& option);

}  // namespace railyard::placement
