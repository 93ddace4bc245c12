#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/packet/links/links.hpp"

namespace railyard::sim::packet {

/// Links whose senders' clocks differ: the ports of a device run faster or slower than their rate
/// by a share that is drawn per device and seed, between -tolerance and tolerance. IEEE 802.3
/// allows 100 in a million. Clocks that are all equal lock the order in which packets reach a full
/// queue, so that it takes those of one sender only (Floyd and Jacobson, "On traffic phase effects
/// in packet-switched gateways", Internetworking 3(3), 1992).
[[nodiscard]] std::vector<LinkSpec> with_clocks(std::span<const LinkSpec> links, double tolerance,
                                                std::uint64_t seed);

}  // namespace railyard::sim::packet
