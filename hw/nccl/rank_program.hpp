#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/schedule/schedule.hpp"
#include "hw/local/program.hpp"

namespace railyard::hw::nccl {

/// A message between a rank and a peer.
struct Exchange {
  std::uint32_t peer = 0;
  bool sends = false;
  std::uint64_t offset = 0;  ///< in the rank's arena
  std::uint64_t bytes = 0;
};

/// A group of messages, and the moves within the rank's memory after them.
struct Round {
  std::uint32_t first_message = 0, message_count = 0;
  std::uint32_t first_move = 0, move_count = 0;
};

/// The part of a schedule for one rank, in rounds. A round is a group of sends and receives,
/// followed by moves (copies and reductions of received data) in order. The rounds of a rank run
/// one after another; ranks are not synchronised otherwise.
///
/// The round of a transfer is the earliest that obeys the schedule's replay rule and comes after
/// the previous message on the same channel between the same two ranks. Loops of trees and rings
/// thereby become pipelines. Both ends of a message compute the same round and the same order
/// within it, so sends and receives match. A message is received into staging if it is reduced, or
/// if its destination is read in the same step; every round uses the same staging. A message
/// through a relay (PXN) is sent in up to eight parts, one per round, so that the relay sends one
/// part while it receives the next.
struct RankProgram {
  std::vector<Exchange> messages;
  std::vector<Move> moves;
  std::vector<Round> rounds;       ///< rounds in which the rank has work
  std::vector<BlockPlace> before;  ///< its inputs
  std::vector<BlockPlace> after;   ///< blocks that it must have at the end
  std::uint64_t arena_bytes = 0;

  [[nodiscard]] std::span<const Exchange> messages_of(const Round& round) const {
    return std::span(messages).subspan(round.first_message, round.message_count);
  }
  [[nodiscard]] std::span<const Move> moves_of(const Round& round) const {
    return std::span(moves).subspan(round.first_move, round.move_count);
  }
  [[nodiscard]] bool reduces() const;
};

/// Smallest part of a relayed (PXN) message in bytes: at 400 Gb/s it takes 20 us, twice the time to
/// launch a group of sends (NCCL's base latency, 8.4 us: docs/models/latency.md).
inline constexpr std::uint64_t kRelayedPart = 1 << 20;

/// The program of the rank at position `me`. Enumerates the whole schedule: 10^6 transfers take
/// about a second. Throws InputError for schedules in which switches reduce (NVLS, CollNet), which
/// ranks cannot replace. Throws std::logic_error if the schedule sends a chunk that nobody holds.
[[nodiscard]] RankProgram compile_rank(const collectives::Schedule& schedule, std::uint32_t me,
                                       std::uint64_t relayed_part = kRelayedPart);

}  // namespace railyard::hw::nccl
