#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/schedule/schedule.hpp"
#include "hw/local/task_graph.hpp"

namespace railyard::hw {

/// Contiguous bytes that are copied to, or combined into, another place of the arena.
struct Move {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::uint64_t bytes = 0;
  bool reduces = false;
};

/// Contiguous bytes of the arena that go to, or come from, another process.
struct Message {
  std::uint32_t peer = 0;      ///< process
  std::uint64_t sequence = 0;  ///< counts the messages from one process to another; both agree
  std::uint64_t offset = 0;    ///< in the arena
  std::uint64_t bytes = 0;
};

/// The work of an operation: its moves, or its message.
enum class Work : std::uint8_t { move, send, receive };

inline constexpr OperationId kNoOperation = ~OperationId{0};

/// One unit of work: a transfer, or a part of one that goes through a relay, a staging buffer or to
/// another process.
struct Operation {
  std::uint32_t first_move = 0;
  std::uint32_t move_count = 0;
  std::uint32_t channel = 0;
  collectives::Participant source = 0;
  collectives::Participant destination = 0;
  Work work = Work::move;
  std::uint32_t message = 0;  ///< index into Program::messages, unless it is a move
  /// A move that uses the bytes of this receive in the order of its moves. It may begin with the
  /// first bytes before the last have arrived.
  OperationId fed_by = kNoOperation;
};

/// A block that a rank brings, or must have at the end.
struct BlockPlace {
  collectives::Participant participant = 0;
  std::uint64_t block = 0;
  std::uint64_t offset = 0;  ///< in the arena
};

/// The process of each participant, and the process for which a schedule is compiled. A single
/// process has all participants; of several, each has one rank, and reducers are distributed among
/// them.
struct Division {
  std::uint32_t processes = 1;
  std::uint32_t process = 0;
  [[nodiscard]] std::uint32_t process_of(collectives::Participant participant) const {
    return participant % processes;
  }
};

/// A schedule compiled for one process: every transfer as moves in one arena and messages to other
/// processes, with their dependencies. The replay rule of Schedule holds. Memory is real, so a
/// chunk is not overwritten before all readers have finished, and two reductions into a chunk
/// happen in the schedule's order. Transfers are staged if a step reads what it also overwrites, if
/// a relay takes part, and if a message has several pieces or is reduced. A receive into staging
/// has no dependencies. A reduction into a chunk that the participant does not hold is a copy.
struct Program {
  std::vector<Operation> operations;
  std::vector<Move> moves;
  std::vector<Message> messages;
  TaskGraph graph;
  std::vector<BlockPlace> before;  ///< inputs of this process's ranks
  std::vector<BlockPlace> after;   ///< blocks that the ranks must have
  std::uint64_t arena_bytes = 0;

  [[nodiscard]] std::span<const Move> moves_of(const Operation& operation) const {
    return std::span(moves).subspan(operation.first_move, operation.move_count);
  }
};

/// Throws std::logic_error, with rank and chunk, if the schedule sends a chunk that nobody holds.
/// With several processes, requires one per rank.
[[nodiscard]] Program compile(const collectives::Schedule& schedule, const Division& division = {});

}  // namespace railyard::hw
