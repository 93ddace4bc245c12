#pragma once

#include "sim/packet/parameters.hpp"

namespace railyard::sim::packet {

/// Throws InputError if parameters contradict each other.
void check(const Parameters& parameters);

}  // namespace railyard::sim::packet
