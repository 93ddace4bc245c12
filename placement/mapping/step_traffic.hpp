#pragma once

#include <vector>

#include "placement/mapping/traffic.hpp"
#include "placement/model/job.hpp"
#include "placement/strategy/strategy_groups.hpp"

namespace railyard::placement {

/// The traffic of a step as phases for a mapping: bytes and repetitions by kind of group
/// (docs/models/mapping.md). If stages differ, that of the fullest stage. Phases without traffic
/// are omitted.
[[nodiscard]] std::vector<TrafficPhase> step_traffic(const Job& job, const Strategy& strategy);

}  // namespace railyard::placement
