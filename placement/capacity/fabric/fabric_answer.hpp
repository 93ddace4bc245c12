#pragma once

#include <string>
#include <vector>

#include "placement/capacity/fabric/fabric_plan.hpp"

namespace railyard::placement {

/// The answer of a plan in sentences: the fabric to buy, its parts, price and power, the job's step
/// time on it, the effect of failures; then the other fabrics compared with it.
[[nodiscard]] std::vector<std::string> answer_of(const FabricPlan& plan,
                                                 const FabricPlanRequest& request);

}  // namespace railyard::placement
