#include "placement/mapping/traffic.hpp"

#include <array>

namespace railyard::placement {

std::string_view to_text(TrafficPattern pattern) {
  constexpr std::array<std::string_view, 3> names{"ring", "chain", "all_to_all"};
  return names[static_cast<std::size_t>(pattern)];
}

Bytes all_gather_ring_bytes(Bytes buffer, std::size_t ranks) {
  const auto n = static_cast<std::int64_t>(ranks);
  if (n < 2) return Bytes(0);
  return Bytes(buffer.count() / n * (n - 1) + buffer.count() % n * (n - 1) / n);
}

Bytes all_reduce_ring_bytes(Bytes buffer, std::size_t ranks) {
  return all_gather_ring_bytes(buffer * 2, ranks);
}

}  // namespace railyard::placement
