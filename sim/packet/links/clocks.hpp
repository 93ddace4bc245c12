#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/packet/links/links.hpp"

namespace railyard::sim::packet {

/// The links with clock deviations. The ports of a device run faster or slower than their nominal
/// rate by a random fraction per device and seed, uniform between -tolerance and tolerance. IEEE
/// 802.3 allows 1e-4. With equal clocks the order in which packets reach a full queue can lock, so
/// that it accepts packets of one sender only (Floyd and Jacobson, "On traffic phase effects in
/// packet-switched gateways", Internetworking 3(3), 1992).
[[nodiscard]] std::vector<LinkSpec> with_clocks(std::span<const LinkSpec> links, double tolerance,
                                                std::uint64_t seed);

}  // namespace railyard::sim::packet
