#include "collectives/algorithms/pattern_transfers.hpp"

namespace railyard::collectives {
namespace {

struct PieceRange {
  std::uint64_t first = 0;
  std::uint64_t count = 1;
};

/// The pieces that `place` answers for once it has exchanged at `distance`: those that agree with
/// it in the bits decided so far (far first: the high bits, piece by piece number; near first: the
/// low bits, which are the high bits of the piece number reversed).
PieceRange pieces_of(std::uint64_t place, std::uint64_t distance, std::uint64_t places,
                     bool near_first) {
  if (!near_first) return {.first = place & ~(distance - 1), .count = distance};
  std::uint64_t first = 0;
  for (std::uint64_t bit = 1, weight = places / 2; bit <= distance; bit *= 2, weight /= 2) {
    if ((place & bit) != 0) first += weight;
  }
  return {.first = first, .count = places / (2 * distance)};
}

}  // namespace

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
  // Offsets 0, 2d, 4d, ... below n - d: those ranks of the block's tree whose peer exists.
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

}  // namespace railyard::collectives
