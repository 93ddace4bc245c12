#pragma once

#include <string>

#include "topology/cluster/launch_cost.hpp"

namespace railyard::topology {

/// The cost of a launch mode: a name in configs/launch_modes, or "none" (all costs zero). Throws
/// InputError at `pointer` for an unknown name.
[[nodiscard]] LaunchCost read_launch_cost(const std::string& mode, const std::string& pointer);

}  // namespace railyard::topology
