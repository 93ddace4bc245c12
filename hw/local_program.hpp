#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/schedule.hpp"
#include "hw/task_graph.hpp"

namespace railyard::hw {

/// Contiguous bytes that are copied to, or combined into, another place of the arena.
struct Move {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::uint64_t bytes = 0;
  bool reduces = false;
};

/// What one thread does in one go: a transfer, or one half of a transfer that goes through a relay
/// or a staging buffer.
struct Operation {
  std::uint32_t first_move = 0;
  std::uint32_t move_count = 0;
  std::uint32_t channel = 0;
  collectives::Participant source = 0;
  collectives::Participant destination = 0;
};

/// A block that a rank brings, or must have at the end.
struct BlockPlace {
  collectives::Participant participant = 0;
  std::uint64_t block = 0;
  std::uint64_t offset = 0;  ///< in the arena
};

/// A schedule compiled for one process: every transfer as moves in one arena, and which waits for
/// which. The replay rule of Schedule holds, and memory is real: a chunk is not overwritten before
/// those who read it have, and two reductions into a chunk happen in the schedule's order. Where a
/// step reads what it also overwrites, and where a relay takes part, the message is staged.
/// A reduction into a chunk of which the participant holds nothing is a copy.
struct LocalProgram {
  std::vector<Operation> operations;
  std::vector<Move> moves;
  TaskGraph graph;
  std::vector<BlockPlace> before;  ///< what ranks bring
  std::vector<BlockPlace> after;   ///< what they must have
  std::uint64_t arena_bytes = 0;

  [[nodiscard]] std::span<const Move> moves_of(const Operation& operation) const {
    return std::span(moves).subspan(operation.first_move, operation.move_count);
  }
};

/// Throws std::logic_error if the schedule sends what nobody brought, naming rank and chunk.
[[nodiscard]] LocalProgram compile(const collectives::Schedule& schedule);

}  // namespace railyard::hw
