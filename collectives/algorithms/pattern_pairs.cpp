#include "collectives/algorithms/pattern_transfers.hpp"

namespace railyard::collectives {

std::uint64_t transfers_of(const PairPattern& pairs) { return pairs.rounds * pairs.order.size(); }

Transfer transfer_of(const PairPattern& pairs, std::uint64_t i, std::uint64_t) {
  const std::uint64_t n = pairs.order.size();
  const std::uint64_t round = pairs.first_round + i / n;
  const std::uint64_t place = i % n;
  const std::uint64_t size = pairs.group_size;
  const std::uint64_t group_delta = (*pairs.group_deltas)[round / size];
  const std::uint64_t peer_group = (place / size + group_delta) % (n / size);
  const std::uint64_t peer = peer_group * size + (place + round) % size;
  const Participant source = pairs.order[static_cast<std::uint32_t>(place)];
  const Participant destination = pairs.order[static_cast<std::uint32_t>(peer)];
  const HopVia via = pairs.via ? (*pairs.via)(source, destination) : HopVia{};
  return {.source = source,
          .destination = destination,
          .first_chunk = source * n + destination,
          .chunk_count = 1,
          .action = Action::copy,
          .relay = via.relay,
          .source_nic = via.source_nic,
          .destination_nic = via.destination_nic};
}

std::uint64_t transfers_of(const GridPattern& grid) {
  const std::uint64_t n = grid.order.size();
  return grid.phase == GridPattern::Phase::exchange_inside ? n * (grid.per_node - 1) * grid.nodes
                                                           : n * (grid.nodes - 1) * grid.per_node;
}

Transfer transfer_of(const GridPattern& grid, std::uint64_t i, std::uint64_t) {
  const std::uint64_t n = grid.order.size();
  const std::uint64_t per_node = grid.per_node;
  const bool inside = grid.phase == GridPattern::Phase::exchange_inside;
  // i = (place, peer 1..., block of that peer).
  const std::uint64_t blocks = inside ? grid.nodes : per_node;
  const std::uint64_t peers = (inside ? per_node : grid.nodes) - 1;
  const std::uint64_t block = i % blocks;
  const std::uint64_t turn = i / blocks % peers + 1;
  const std::uint64_t place = i / blocks / peers;
  const std::uint64_t node = place / per_node;
  const std::uint64_t local = place % per_node;
  const std::uint64_t peer = inside ? node * per_node + (local + turn) % per_node
                                    : (node + turn) % grid.nodes * per_node + local;
  const std::uint64_t owner = inside ? place : node * per_node + block;
  const std::uint64_t target = inside ? block * per_node + peer % per_node : peer;
  const auto position = [&](std::uint64_t at) {
    return grid.order[static_cast<std::uint32_t>(at)];
  };
  return {.source = position(place),
          .destination = position(peer),
          .first_chunk = position(owner) * n + position(target),
          .chunk_count = 1,
          .action = Action::copy};
}

}  // namespace railyard::collectives
