#include "collectives/algorithms/pattern_transfers.hpp"

namespace railyard::collectives {

std::uint64_t transfers_of(const RingPattern& ring) {
  const std::uint32_t length = ring.ring_size == 0 ? ring.order.size() : ring.ring_size;
  return length < 2 ? 0 : ring.order.size();
}

Transfer transfer_of(const RingPattern& ring, std::uint64_t i, std::uint64_t k) {
  const auto place = static_cast<std::uint32_t>(i);
  const std::uint32_t length = ring.ring_size == 0 ? ring.order.size() : ring.ring_size;
  const std::uint32_t number = place / length;
  const std::uint32_t start = number * length;
  const std::uint32_t within = place - start;
  const std::uint32_t next = within + 1 == length ? start : place + 1;
  // (within + offset + k * shift) mod length, without overflow for any k.
  const auto turn = static_cast<std::int64_t>(k % length) * ring.shift + ring.offset + within;
  const std::int64_t wrapped = turn % static_cast<std::int64_t>(length);
  auto piece = static_cast<std::uint32_t>(wrapped < 0 ? wrapped + length : wrapped);
  if (ring.pieces_are_ranks) piece = ring.order[start + piece];
  const HopVia via = ring.via ? (*ring.via)[place] : HopVia{};
  return {.source = ring.order[place],
          .destination = ring.order[next],
          .first_chunk = number * ring.ring_stride + piece * ring.chunks,
          .chunk_count = ring.chunks,
          .action = ring.action,
          .relay = via.relay,
          .source_nic = via.source_nic,
          .destination_nic = via.destination_nic};
}

}  // namespace railyard::collectives
