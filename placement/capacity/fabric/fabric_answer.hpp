#pragma once

#include <string>
#include <vector>

#include "placement/capacity/fabric/fabric_plan.hpp"

namespace railyard::placement {

/// The answer of a plan in sentences: which fabric to buy, of what, at what price and power, how
/// fast the job is on it, what failures do; then the others against it.
[[nodiscard]] std::vector<std::string> answer_of(const FabricPlan& plan,
                                                 const FabricPlanRequest& request);

}  // namespace railyard::placement
