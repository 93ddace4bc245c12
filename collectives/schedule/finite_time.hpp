#pragma once

#include "core/units.hpp"

namespace railyard::collectives {

/// A duration of a collective. Throws InputError beyond what Time holds (2^63 - 1 picoseconds, 106
/// days) instead of the largest Time.
[[nodiscard]] Time finite_time(double seconds);

}  // namespace railyard::collectives
