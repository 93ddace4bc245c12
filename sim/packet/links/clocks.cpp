#include "sim/packet/links/clocks.hpp"

#include <cmath>

#include "topology/routing/flow_hash.hpp"

namespace railyard::sim::packet {

std::vector<LinkSpec> with_clocks(std::span<const LinkSpec> links, double tolerance,
                                  std::uint64_t seed) {
  std::vector<LinkSpec> made(links.begin(), links.end());
  if (tolerance == 0) return made;
  for (LinkSpec& link : made) {
    const std::uint64_t draw = topology::mix(topology::mix(seed) ^ link.from);
    const double share = static_cast<double>(draw >> 11) * 0x1p-52 - 1;
    link.rate = Bandwidth::bits_per_second(
        std::llround(static_cast<double>(link.rate.bits_per_second()) * (1 + tolerance * share)));
  }
  return made;
}

}  // namespace railyard::sim::packet
