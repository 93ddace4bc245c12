#include "sim/packet/transport/scoreboard.hpp"

#include <algorithm>
#include <bit>

namespace railyard::sim::packet {

void Scoreboard::grow(Pair& pair, std::uint32_t oldest, std::uint32_t sequence) {
  std::vector<Slot> larger(std::bit_ceil(std::max<std::size_t>(sequence - oldest + 1, 16)));
  const auto mask = static_cast<std::uint32_t>(larger.size()) - 1;
  if (!pair.slots.empty())
    for (std::uint32_t i = oldest; i != sequence; ++i)
      larger[i & mask] = pair.slots[i & pair.mask()];
  pair.slots = std::move(larger);
}

}  // namespace railyard::sim::packet
