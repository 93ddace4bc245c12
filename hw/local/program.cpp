#include "hw/local/program.hpp"

#include <map>

#include "collectives/schedule/schedule_walk.hpp"
#include "hw/local/block_layout.hpp"

namespace railyard::hw {
namespace {

using collectives::Action;
using collectives::kNoParticipant;
using collectives::Participant;
using collectives::Schedule;
using collectives::Transfer;
using collectives::WalkedTransfer;

/// Which operations have used a chunk of a participant so far.
struct ChunkState {
  OperationId writer = kNoOperation;  ///< the last one
  std::vector<OperationId> readers;   ///< since that write
  std::uint64_t sent_in_step = 0;     ///< the last step that sends it to another process
};

/// One transfer of the step that is being compiled, as this process sees it.
struct Pending {
  Transfer transfer;
  bool reads_overwritten = false;           ///< see WalkedTransfer
  std::uint32_t from = 0, via = 0, to = 0;  ///< processes; without a relay via is `from`
  std::uint64_t first_hop = 0;              ///< sequence of the message from -> via, if they differ
  std::uint64_t last_hop = 0;               ///< sequence of the message via -> to
  bool staged = false;
  std::uint64_t staging = 0;
  OperationId arrived = kNoOperation;  ///< after which the bytes are in the source or the staging
};

class Compiler {
 public:
  Compiler(const Schedule& schedule, const Division& division)
      : schedule_(schedule), division_(division), layout_(schedule), walk_(schedule, *this) {
    for_own_ranks([&](Participant rank, std::uint32_t ranks) {
      for (const std::uint64_t block :
           collectives::blocks_before(schedule.collective(), ranks, rank)) {
        program_.before.push_back({rank, block, layout_.block(rank, block)});
      }
    });
  }

  Program run() {
    walk_.run();
    for_own_ranks([&](Participant rank, std::uint32_t ranks) {
      for (const std::uint64_t block :
           collectives::blocks_after(schedule_.collective(), ranks, rank)) {
        program_.after.push_back({rank, block, layout_.block(rank, block)});
      }
    });
    program_.graph =
        TaskGraph(static_cast<OperationId>(program_.operations.size()), std::move(edges_));
    program_.arena_bytes = layout_.size();
    return std::move(program_);
  }

  // For ScheduleWalk: with several processes each tracks only the transfers that involve it.
  [[nodiscard]] bool tracks(Participant participant) const {
    return is_own(division_.process_of(participant));
  }
  [[nodiscard]] bool takes_part(const Transfer& transfer) const {
    return tracks(transfer.source) || tracks(transfer.destination) ||
           (transfer.relay != kNoParticipant && tracks(transfer.relay));
  }
  void begin_channel() {}
  void step(std::span<const WalkedTransfer> transfers) {
    ++step_;
    pending_.clear();
    for (const WalkedTransfer& walked : transfers) add_pending(walked);
    // All reads come before all writes of a step: every source is as it was before the step.
    for (Pending& pending : pending_) {
      if (is_own(pending.from)) compile_read(pending);
      if (is_own(pending.via) && pending.from != pending.via) compile_relay(pending);
    }
    for (Pending& pending : pending_) {
      if (is_own(pending.to)) compile_write(pending);
    }
  }

 private:
  using Walk = collectives::ScheduleWalk<ChunkState, Compiler>;
  using Chunk = Walk::Chunk;

  template <class Visit>
  void for_own_ranks(Visit visit) {
    const std::uint32_t ranks = schedule_.group().size();
    for (Participant rank = 0; rank < ranks; ++rank) {
      if (is_own(division_.process_of(rank))) visit(rank, ranks);
    }
  }

  [[nodiscard]] bool is_own(std::uint32_t process) const { return process == division_.process; }

  void add_pending(const WalkedTransfer& walked) {
    const Transfer& transfer = walked.transfer;
    Pending pending{.transfer = transfer, .reads_overwritten = walked.reads_overwritten};
    pending.from = division_.process_of(transfer.source);
    pending.to = division_.process_of(transfer.destination);
    pending.via =
        transfer.relay == kNoParticipant ? pending.from : division_.process_of(transfer.relay);
    if (pending.from != pending.via) pending.first_hop = sequence(pending.from, pending.via);
    if (pending.via != pending.to) pending.last_hop = sequence(pending.via, pending.to);
    pending_.push_back(pending);
  }

  std::uint64_t sequence(std::uint32_t from, std::uint32_t to) { return sent_[{from, to}]++; }

  /// Reads the source into staging, into a message, or leaves it to be read by the write.
  void compile_read(Pending& pending) {
    const Transfer& transfer = pending.transfer;
    const bool goes_on = pending.via != pending.from || pending.to != pending.via;
    const bool relayed_here = transfer.relay != kNoParticipant && pending.via == pending.from;
    pending.staged = relayed_here || (!goes_on && pending.reads_overwritten);
    const std::uint64_t bytes = bytes_of(transfer);
    if (goes_on && bytes == 0) return;
    const OperationId read = add_operation(transfer);
    if (goes_on && !pending.staged) pending.staged = !is_contiguous(transfer);
    walk_.for_source(transfer, [&](Chunk& chunk) {
      if (chunk.state.writer != kNoOperation) edges_.emplace_back(chunk.state.writer, read);
      chunk.state.readers.push_back(read);
      if (goes_on) chunk.state.sent_in_step = step_;
    });
    pending.arrived = read;
    if (pending.staged) {
      pending.staging = layout_.staging(bytes);
      std::uint64_t staged = 0;
      add_moves(
          read, transfer, [&](const Schedule::Place& place, std::uint64_t length, std::uint64_t) {
            const Move move{source_of(transfer, place), pending.staging + staged, length, false};
            staged += length;
            return move;
          });
    }
    if (!goes_on) return;
    const bool first = pending.via != pending.from;
    const Message message{.peer = first ? pending.via : pending.to,
                          .sequence = first ? pending.first_hop : pending.last_hop,
                          .offset = pending.staged ? pending.staging : first_byte(transfer),
                          .bytes = bytes};
    if (!pending.staged) {
      make_message(read, Work::send, message);
      return;
    }
    const OperationId send = add_operation(transfer);
    edges_.emplace_back(read, send);
    make_message(send, Work::send, message);
  }

  /// Receives and forwards a message that a rank of this process relays.
  void compile_relay(Pending& pending) {
    receive(pending, pending.from, pending.first_hop);
    if (pending.arrived == kNoOperation || is_own(pending.to)) return;
    const OperationId send = add_operation(pending.transfer);
    edges_.emplace_back(pending.arrived, send);
    make_message(send, Work::send,
                 {.peer = pending.to,
                  .sequence = pending.last_hop,
                  .offset = pending.staging,
                  .bytes = bytes_of(pending.transfer)});
  }

  /// A receive into staging: it waits for nothing.
  void receive(Pending& pending, std::uint32_t peer, std::uint64_t sequence) {
    const std::uint64_t bytes = bytes_of(pending.transfer);
    if (bytes == 0) return;
    pending.staged = true;
    pending.staging = layout_.staging(bytes);
    pending.arrived = add_operation(pending.transfer);
    make_message(pending.arrived, Work::receive,
                 {.peer = peer, .sequence = sequence, .offset = pending.staging, .bytes = bytes});
  }

  void compile_write(Pending& pending) {
    const Transfer& transfer = pending.transfer;
    if (!is_own(pending.via) && may_land_in_place(transfer)) {
      receive_in_place(pending);
      return;
    }
    if (!is_own(pending.via)) receive(pending, pending.via, pending.last_hop);
    OperationId write = pending.arrived;
    if (write == kNoOperation) {
      mark_written(transfer, kNoOperation);
      return;
    }
    if (pending.staged) {
      write = add_operation(transfer);
      edges_.emplace_back(pending.arrived, write);
      if (program_.operations[pending.arrived].work == Work::receive)
        program_.operations[write].fed_by = pending.arrived;
    }
    std::uint64_t staged = 0;
    add_moves(
        write, transfer, [&](const Schedule::Place& place, std::uint64_t length, std::uint64_t id) {
          const bool reduces =
              transfer.action == Action::reduce && walk_.chunk(transfer.destination, id).holds;
          const std::uint64_t from =
              pending.staged ? pending.staging + staged : source_of(transfer, place);
          staged += length;
          return Move{from, destination_of(transfer, place), length, reduces};
        });
    mark_written(transfer, write);
  }

  void receive_in_place(const Pending& pending) {
    const Transfer& transfer = pending.transfer;
    const std::uint64_t bytes = bytes_of(transfer);
    if (bytes == 0) {
      mark_written(transfer, kNoOperation);
      return;
    }
    const OperationId write = add_operation(transfer);
    make_message(write, Work::receive,
                 {.peer = pending.via,
                  .sequence = pending.last_hop,
                  .offset = layout_.block(transfer.destination, first_place(transfer).block) +
                            static_cast<std::uint64_t>(first_place(transfer).offset.count()),
                  .bytes = bytes});
    mark_written(transfer, write);
  }

  /// Records that `write` overwrites the chunks of the destination, after all that read or wrote
  /// them. kNoOperation: the chunks have no bytes.
  void mark_written(const Transfer& transfer, OperationId write) {
    walk_.write(transfer, [&](Chunk& chunk) {
      if (write == kNoOperation) return;
      ChunkState& used = chunk.state;
      if (used.writer != kNoOperation) edges_.emplace_back(used.writer, write);
      for (const OperationId reader : used.readers) {
        if (reader != write) edges_.emplace_back(reader, write);
      }
      used.readers.clear();
      used.writer = write;
    });
  }

  /// Whether a message can be received without staging: not if it is reduced or in pieces, and not
  /// if this step also sends the overwritten data, because two ranks that swap would wait for each
  /// other.
  [[nodiscard]] bool may_land_in_place(const Transfer& transfer) {
    bool may = is_contiguous(transfer);
    walk_.for_destination(transfer, [&](const Chunk& chunk) {
      may = may && chunk.state.sent_in_step != step_ &&
            !(transfer.action == Action::reduce && chunk.holds);
    });
    return may;
  }

  /// Whether the chunks of a transfer, which have bytes, lie in one block.
  [[nodiscard]] bool is_contiguous(const Transfer& transfer) const {
    const std::uint64_t last = transfer.first_chunk + transfer.chunk_count - 1;
    return first_place(transfer).block == schedule_.place(walk_.channel(), last).block;
  }

  [[nodiscard]] Schedule::Place first_place(const Transfer& transfer) const {
    return schedule_.place(walk_.channel(), transfer.first_chunk);
  }

  std::uint64_t first_byte(const Transfer& transfer) {
    return source_of(transfer, first_place(transfer));
  }

  [[nodiscard]] std::uint64_t bytes_of(const Transfer& transfer) const {
    return static_cast<std::uint64_t>(schedule_.bytes(walk_.channel(), transfer).count());
  }

  /// Adds make(place, length, chunk) for each chunk of a transfer, joined where they are
  /// contiguous.
  template <class Make>
  void add_moves(OperationId id, const Transfer& transfer, Make make) {
    Operation& operation = program_.operations[id];
    operation.first_move = static_cast<std::uint32_t>(program_.moves.size());
    for (std::uint64_t i = 0; i < transfer.chunk_count; ++i) {
      const std::uint64_t chunk = transfer.first_chunk + i;
      const Schedule::Place place = schedule_.place(walk_.channel(), chunk);
      const auto length = static_cast<std::uint64_t>(place.length.count());
      if (length == 0) continue;
      const Move move = make(place, length, chunk);
      if (operation.move_count != 0 && joined(program_.moves.back(), move)) continue;
      program_.moves.push_back(move);
      ++operation.move_count;
    }
  }

  /// Extends `last` by `move` if they are contiguous; returns whether it did.
  static bool joined(Move& last, const Move& move) {
    if (last.from + last.bytes != move.from || last.to + last.bytes != move.to ||
        last.reduces != move.reduces)
      return false;
    last.bytes += move.bytes;
    return true;
  }

  std::uint64_t source_of(const Transfer& transfer, const Schedule::Place& place) {
    return layout_.block(transfer.source, place.block) +
           static_cast<std::uint64_t>(place.offset.count());
  }
  std::uint64_t destination_of(const Transfer& transfer, const Schedule::Place& place) {
    return layout_.block(transfer.destination, place.block) +
           static_cast<std::uint64_t>(place.offset.count());
  }

  OperationId add_operation(const Transfer& transfer) {
    program_.operations.push_back({.channel = static_cast<std::uint32_t>(walk_.channel()),
                                   .source = transfer.source,
                                   .destination = transfer.destination});
    return static_cast<OperationId>(program_.operations.size() - 1);
  }

  void make_message(OperationId id, Work work, const Message& message) {
    program_.operations[id].work = work;
    program_.operations[id].message = static_cast<std::uint32_t>(program_.messages.size());
    program_.messages.push_back(message);
  }

  const Schedule& schedule_;
  Division division_;
  BlockLayout layout_;
  Program program_;
  std::vector<TaskGraph::Edge> edges_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> sent_;
  std::vector<Pending> pending_;
  std::uint64_t step_ = 0;  ///< counts the steps
  Walk walk_;
};

}  // namespace

Program compile(const Schedule& schedule, const Division& division) {
  return Compiler(schedule, division).run();
}

}  // namespace railyard::hw
