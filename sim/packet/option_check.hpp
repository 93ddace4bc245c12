#pragma once

#include "sim/packet/packet_options.hpp"

namespace railyard::sim::packet {

/// Throws InputError if options or parameters contradict each other.
void check(const PacketOptions& options);

}  // namespace railyard::sim::packet
