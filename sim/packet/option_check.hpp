#pragma once

#include "sim/packet/packet_options.hpp"

namespace railyard::sim::packet {

/// Throws InputError for options and parameters that exclude each other.
void check(const PacketOptions& options);

}  // namespace railyard::sim::packet
