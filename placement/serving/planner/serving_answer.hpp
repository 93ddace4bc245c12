#pragma once

#include <string>

#include "placement/serving/planner/serving_option.hpp"

namespace railyard::placement::serving {

/// The answer of a plan in sentences: GPUs, replicas and their split, latencies, cost, and the rate
/// at which the deployment saturates with its range; or the nearest deployment that misses the
/// limits. `currency` is that of the option's cost.
[[nodiscard]] std::string answer_of(const ServingOption& option, const ServingDemand& demand,
                                    const std::string& currency);

}  // namespace railyard::placement::serving
