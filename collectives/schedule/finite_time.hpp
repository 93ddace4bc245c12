#pragma once

#include "core/units.hpp"

namespace railyard::collectives {

/// Converts the duration of a collective to Time. Throws InputError if it exceeds the range of Time
/// (2^63 - 1 picoseconds, 106 days), instead of returning the largest Time.
[[nodiscard]] Time finite_time(double seconds);

}  // namespace railyard::collectives
