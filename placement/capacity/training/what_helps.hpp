#pragma once

#include <optional>
#include <string>
#include <vector>

#include "placement/capacity/training/training_plan_request.hpp"

namespace railyard::placement {

/// A changed cluster or job, with the best strategy on it.
struct Change {
  std::string name{};
  double days = 0, day_change = 0;
  std::optional<double> cost{}, cost_change{};
  std::string strategy{};
  std::string why_not{};  ///< reason, if the change is impossible
};

/// Effect of faster NICs, a larger NVLink domain, another oversubscription, more memory and other
/// batches on an option, by decreasing change of days. Changes of the fabric are simulated like the
/// option; the NVLink domain is compared by formula on both sides.
[[nodiscard]] std::vector<Change> what_helps(const TrainingPlanRequest& request,
                                             const TrainingOption& option, int threads);

}  // namespace railyard::placement
