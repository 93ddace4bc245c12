#pragma once

#include "sim/packet/parameters.hpp"

namespace railyard::sim::packet {

/// Throws InputError for parameters that exclude each other.
void check(const Parameters& parameters);

}  // namespace railyard::sim::packet
