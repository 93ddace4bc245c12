#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/schedule/schedule.hpp"
#include "hw/local/program.hpp"

namespace railyard::hw::nccl {

/// Bytes that a rank sends to, or receives from, a peer.
struct Exchange {
  std::uint32_t peer = 0;
  bool sends = false;
  std::uint64_t offset = 0;  ///< in the rank's arena
  std::uint64_t bytes = 0;
};

/// Messages that go in one group, and the moves within the rank's memory that follow them.
struct Round {
  std::uint32_t first_message = 0, message_count = 0;
  std::uint32_t first_move = 0, move_count = 0;
};

/// What one rank does of a schedule, in rounds. A round is a group of sends and receives, then
/// moves (copies and reductions of what was received) in order. Rounds of a rank follow each other;
/// ranks are not synchronised otherwise.
///
/// The round of a transfer is the earliest that keeps the schedule's rule and is after the round of
/// the message before it on the same channel between the same two ranks, so that loops of trees
/// and rings become pipelines. Both ends of a message compute the same round, and the same order
/// within it, which is all that matching needs. A message that is reduced, or whose place is read
/// in the same step, is received into staging that each round uses again. A message through a relay
/// (PXN) goes in up to eight parts, one a round, so that the relay sends one while it receives the
/// next.
struct RankProgram {
  std::vector<Exchange> messages;
  std::vector<Move> moves;
  std::vector<Round> rounds;       ///< those in which the rank does something
  std::vector<BlockPlace> before;  ///< what the rank brings
  std::vector<BlockPlace> after;   ///< what it must have
  std::uint64_t arena_bytes = 0;

  [[nodiscard]] std::span<const Exchange> messages_of(const Round& round) const {
    return std::span(messages).subspan(round.first_message, round.message_count);
  }
  [[nodiscard]] std::span<const Move> moves_of(const Round& round) const {
    return std::span(moves).subspan(round.first_move, round.move_count);
  }
  [[nodiscard]] bool reduces() const;
};

/// Bytes of a relayed (PXN) message that go in a round, where it has more: at 400 Gb/s they take
/// 20 us, twice what it costs to launch a group of sends (NCCL's base latency, 8.4 us: docs/models/
/// latency.md).
inline constexpr std::uint64_t kRelayedPart = 1 << 20;

/// The part of position `me`. Enumerates the whole schedule: 10^6 transfers take about a second.
/// Throws InputError where switches reduce (NVLS, CollNet): no rank can do their part.
/// Throws std::logic_error where the schedule sends what nobody brought.
[[nodiscard]] RankProgram compile_rank(const collectives::Schedule& schedule, std::uint32_t me,
                                       std::uint64_t relayed_part = kRelayedPart);

}  // namespace railyard::hw::nccl
