#include "collectives/algorithms/pattern.hpp"

#include <cassert>

namespace railyard::collectives {
namespace {

// For each form of pattern: transfers_of() is the number of transfers, and transfer_of() the i-th
// transfer in iteration k. size() and at() dispatch to them.

std::uint64_t shifted(std::uint64_t chunk, std::uint64_t k, std::int64_t stride) {
  return chunk + k * static_cast<std::uint64_t>(stride);
}

std::uint64_t transfers_of(const HopPattern&) { return 1; }

Transfer transfer_of(const HopPattern& hop, std::uint64_t, std::uint64_t k) {
  const std::uint32_t next = hop.place + 1 == hop.order.size() ? 0 : hop.place + 1;
  const HopVia via = hop.via ? (*hop.via)[hop.place] : HopVia{};
  return {.source = hop.order[hop.place],
          .destination = hop.order[next],
          .first_chunk = shifted(hop.first, k, hop.stride),
          .chunk_count = hop.chunks,
          .action = hop.action,
          .relay = via.relay,
          .source_nic = via.source_nic,
          .destination_nic = via.destination_nic};
}

std::uint64_t transfers_of(const EdgePattern& pattern) { return pattern.edges->size(); }

Transfer transfer_of(const EdgePattern& pattern, std::uint64_t i, std::uint64_t k) {
  const Edge& edge = (*pattern.edges)[i];
  return {.source = edge.source,
          .destination = edge.destination,
          .first_chunk = shifted(pattern.first + edge.chunk, k, pattern.stride),
          .chunk_count = pattern.chunks,
          .action = pattern.action,
          .relay = edge.relay,
          .source_nic = edge.source_nic,
          .destination_nic = edge.destination_nic};
}

std::uint64_t transfers_of(const ListPattern& pattern) { return pattern.transfers->size(); }

Transfer transfer_of(const ListPattern& pattern, std::uint64_t i, std::uint64_t k) {
  Transfer transfer = (*pattern.transfers)[i];
  transfer.first_chunk = shifted(transfer.first_chunk, k, pattern.stride);
  return transfer;
}

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

struct PieceRange {
  std::uint64_t first = 0;
  std::uint64_t count = 1;
};

/// The pieces that `place` keeps after its exchange at `distance`: those whose number agrees with
/// `place` in the bits decided so far. Far first decides the high bits of the piece number first.
/// Near first decides the low bits of the place first, which correspond to the high bits of the
/// piece number because it is bit-reversed.
PieceRange pieces_of(std::uint64_t place, std::uint64_t distance, std::uint64_t places,
                     bool near_first) {
  assert(distance > 0);
  if (!near_first) return {.first = place & ~(distance - 1), .count = distance};
  std::uint64_t first = 0;
  for (std::uint64_t bit = 1, weight = places / 2; bit <= distance; bit *= 2, weight /= 2) {
    if ((place & bit) != 0) first += weight;
  }
  return {.first = first, .count = places / (2 * distance)};
}

std::uint64_t transfers_of(const ExchangePattern& exchange) { return exchange.order.size(); }

Transfer transfer_of(const ExchangePattern& exchange, std::uint64_t i, std::uint64_t) {
  const std::uint64_t partner = i ^ exchange.distance;
  const std::uint64_t keeper = exchange.action == Action::reduce ? partner : i;
  const PieceRange pieces =
      pieces_of(keeper, exchange.distance, exchange.order.size(), exchange.near_first);
  return {.source = exchange.order[static_cast<std::uint32_t>(i)],
          .destination = exchange.order[static_cast<std::uint32_t>(partner)],
          .first_chunk = pieces.first * exchange.chunks,
          .chunk_count = pieces.count * exchange.chunks,
          .action = exchange.action};
}

std::uint64_t transfers_of(const PatPattern& pat) {
  // The blocks have offsets 0, 2d, 4d, ... below n - d from the rank: those whose next hop exists
  // in their tree.
  const std::uint64_t step = 2ULL * pat.distance;
  const std::uint64_t blocks = (pat.ranks - pat.distance + step - 1) / step;
  return pat.ranks * blocks;
}

Transfer transfer_of(const PatPattern& pat, std::uint64_t i, std::uint64_t) {
  const std::uint64_t n = pat.ranks;
  const std::uint64_t blocks = transfers_of(pat) / n;
  const std::uint64_t near = i / blocks;
  const std::uint64_t offset = 2ULL * pat.distance * (i % blocks);
  const std::uint64_t far = (near + pat.distance) % n;
  const bool gathers = pat.action == Action::copy;
  return {.source = static_cast<Participant>(gathers ? near : far),
          .destination = static_cast<Participant>(gathers ? far : near),
          .first_chunk = (near + n - offset) % n,
          .chunk_count = 1,
          .action = pat.action};
}

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
  // i enumerates (place, peer 1..., block for that peer), the last one fastest.
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

}  // namespace

std::uint64_t size(const Pattern& pattern) {
  return std::visit([](const auto& form) { return transfers_of(form); }, pattern);
}

Transfer at(const Pattern& pattern, std::uint64_t i, std::uint64_t k) {
  return std::visit([&](const auto& form) { return transfer_of(form, i, k); }, pattern);
}

}  // namespace railyard::collectives
