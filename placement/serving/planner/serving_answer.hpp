#pragma once

#include <string>

#include "placement/serving/planner/serving_option.hpp"

namespace railyard::placement::serving {

/// The answer of a plan in sentences: GPUs, replicas, split, latencies, cost, and the saturation
/// rate with its range. If the option misses the limits, the answer calls it the nearest one.
/// `currency` is that of the option's cost.
[[nodiscard]] std::string answer_of(const ServingOption& option, const ServingDemand& demand,
                                    const std::string& currency);

}  // namespace railyard::placement::serving
