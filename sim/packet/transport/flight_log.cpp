#include "sim/packet/transport/flight_log.hpp"

#include <algorithm>
#include <bit>

namespace railyard::sim::packet {

void FlightLog::grow(Ring& ring, std::uint32_t oldest, std::uint32_t sequence) {
  Ring larger{.sent_at = {},
              .records = {},
              .previous = std::move(ring.previous),
              .ports = ring.ports,
              .changed_at = ring.changed_at};
  const std::size_t size = std::bit_ceil(std::max<std::size_t>(sequence - oldest + 1, 16));
  larger.sent_at.resize(size);
  larger.records.resize(size * ring.ports);
  const std::size_t kept = ring.sent_at.size();
  for (std::uint32_t i = 0; i < kept; ++i) {
    const std::uint32_t number = oldest + i;
    const std::size_t from = number & ring.mask(), to = number & larger.mask();
    larger.sent_at[to] = ring.sent_at[from];
    std::copy_n(ring.records.begin() + static_cast<std::ptrdiff_t>(from * ring.ports), ring.ports,
                larger.records.begin() + static_cast<std::ptrdiff_t>(to * ring.ports));
  }
  ring = std::move(larger);
}

void FlightLog::change_path(std::uint32_t pair, std::uint32_t ports, std::int64_t at) {
  Ring& ring = rings_[pair];
  ring.ports = ports;
  ring.records.assign(ring.sent_at.size() * ports, {});
  ring.previous.clear();
  ring.changed_at = at;
}

}  // namespace railyard::sim::packet
