#pragma once

#include <string>

#include "topology/cluster/launch_cost.hpp"

namespace railyard::topology {

/// What a launch mode costs: one of configs/launch_modes, or "none". Throws InputError at `pointer`
/// for an unknown one.
[[nodiscard]] LaunchCost read_launch_cost(const std::string& mode, const std::string& pointer);

}  // namespace railyard::topology
