#pragma once

#include <vector>

#include "placement/mapping/traffic.hpp"
#include "placement/model/job.hpp"
#include "placement/strategy/strategy_groups.hpp"

namespace railyard::placement {

/// What a step of a job sends, as phases for a mapping: per kind of group how many bytes at a time
/// and how often (docs/models/mapping.md). Of the fullest stage, where stages differ. Phases in
/// which nobody sends are left out.
[[nodiscard]] std::vector<TrafficPhase> step_traffic(const Job& job, const Strategy& strategy);

}  // namespace railyard::placement
