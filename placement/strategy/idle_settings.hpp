#pragma once

#include <string>
#include <vector>

#include "placement/model/job.hpp"
#include "placement/strategy/strategy.hpp"

namespace railyard::placement {

/// Settings of a strategy without effect, each with the reason: "pp_overlap=true does nothing:
/// there is one stage".
[[nodiscard]] std::vector<std::string> idle_settings(const Job& job, const Strategy& strategy);

}  // namespace railyard::placement
