#pragma once

#include <string>

#include "core/units.hpp"

namespace railyard::topology {

/// The time that a launch mode adds to each collective: one of configs/launch_modes, or "none".
/// Throws InputError at `pointer` for an unknown one.
[[nodiscard]] Time read_launch_overhead(const std::string& mode, const std::string& pointer);

}  // namespace railyard::topology
