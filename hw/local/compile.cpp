#include <fmt/format.h>

#include <map>
#include <stdexcept>
#include <unordered_map>

#include "hw/local/block_layout.hpp"
#include "hw/local/holdings.hpp"
#include "hw/local/program.hpp"

namespace railyard::hw {
namespace {

using collectives::Action;
using collectives::kNoParticipant;
using collectives::Participant;
using collectives::Schedule;
using collectives::Transfer;

/// What has been done to a chunk of a participant so far.
struct ChunkState {
  OperationId writer = kNoOperation;  ///< the last one
  std::vector<OperationId> readers;   ///< since that write
  std::uint64_t written_in_step = 0;  ///< the last step that writes it
  std::uint64_t sent_in_step = 0;     ///< the last step that sends it to another process
  bool holds = false;                 ///< there is something in it
};

/// One transfer of the step that is being compiled, as this process sees it.
struct Pending {
  Transfer transfer;
  std::uint32_t from = 0, via = 0, to = 0;  ///< processes; via is `from` where there is no relay
  std::uint64_t first_hop = 0;              ///< sequence of the message from -> via, if they differ
  std::uint64_t last_hop = 0;               ///< and of via -> to
  bool staged = false;
  std::uint64_t staging = 0;
  OperationId arrived = kNoOperation;  ///< after which the bytes are in the source or the staging
};

class Compiler {
 public:
  Compiler(const Schedule& schedule, const Division& division)
      : schedule_(schedule), division_(division), layout_(schedule) {
    for_own_ranks([&](Participant rank, std::uint32_t ranks) {
      for (const std::uint64_t block : blocks_before(schedule.collective(), ranks, rank)) {
        program_.before.push_back({rank, block, layout_.block(rank, block)});
      }
    });
  }

  Program run() {
    for (channel_ = 0; channel_ < schedule_.channels().size(); ++channel_) compile_channel();
    for_own_ranks([&](Participant rank, std::uint32_t ranks) {
      for (const std::uint64_t block : blocks_after(schedule_.collective(), ranks, rank)) {
        program_.after.push_back({rank, block, layout_.block(rank, block)});
      }
    });
    program_.graph =
        TaskGraph(static_cast<OperationId>(program_.operations.size()), std::move(edges_));
    program_.arena_bytes = layout_.size();
    return std::move(program_);
  }

 private:
  template <class Visit>
  void for_own_ranks(Visit visit) {
    const std::uint32_t ranks = schedule_.group().size();
    for (Participant rank = 0; rank < ranks; ++rank) {
      if (is_own(division_.process_of(rank))) visit(rank, ranks);
    }
  }

  [[nodiscard]] bool is_own(std::uint32_t process) const { return process == division_.process; }

  void compile_channel() {
    const collectives::Channel& channel = schedule_.channels()[channel_];
    chunks_.clear();
    for (const BlockPlace& brought : program_.before) {
      for (std::uint64_t i = 0; i < channel.chunks_per_block; ++i) {
        state(brought.participant, brought.block * channel.chunks_per_block + i).holds = true;
      }
    }
    for (const collectives::Loop& loop : channel.loops) {
      for (std::uint64_t iteration = 0; iteration < loop.repeat; ++iteration) {
        for (const collectives::Step& step : loop.steps) compile_step(step, iteration);
      }
    }
  }

  void compile_step(const collectives::Step& step, std::uint64_t iteration) {
    ++step_;
    pending_.clear();
    for (std::uint64_t i = 0; i < step.size(); ++i) add_pending(step.at(i, iteration));
    // All reads come before all writes of a step: every source is as it was before the step.
    for (Pending& pending : pending_) {
      if (is_own(pending.from)) compile_read(pending);
      if (is_own(pending.via) && pending.from != pending.via) compile_relay(pending);
    }
    for (Pending& pending : pending_) {
      if (is_own(pending.to)) compile_write(pending);
    }
  }

  void add_pending(const Transfer& transfer) {
    if (transfer.source == transfer.destination) return;
    Pending pending{.transfer = transfer};
    pending.from = division_.process_of(transfer.source);
    pending.to = division_.process_of(transfer.destination);
    pending.via =
        transfer.relay == kNoParticipant ? pending.from : division_.process_of(transfer.relay);
    if (!is_own(pending.from) && !is_own(pending.via) && !is_own(pending.to)) return;
    if (pending.from != pending.via) pending.first_hop = sequence(pending.from, pending.via);
    if (pending.via != pending.to) pending.last_hop = sequence(pending.via, pending.to);
    if (is_own(pending.to)) {
      for_chunks(transfer, transfer.destination,
                 [&](ChunkState& chunk, std::uint64_t) { chunk.written_in_step = step_; });
    }
    pending_.push_back(pending);
  }

  std::uint64_t sequence(std::uint32_t from, std::uint32_t to) { return sent_[{from, to}]++; }

  /// Reads the source into staging, into a message, or leaves it to be read by the write.
  void compile_read(Pending& pending) {
    const Transfer& transfer = pending.transfer;
    const bool goes_on = pending.via != pending.from || pending.to != pending.via;
    const bool relayed_here = transfer.relay != kNoParticipant && pending.via == pending.from;
    pending.staged = relayed_here;
    for_chunks(transfer, transfer.source, [&](ChunkState& chunk, std::uint64_t id) {
      if (!chunk.holds) throw nothing_held(transfer, id);
      pending.staged = pending.staged || (!goes_on && chunk.written_in_step == step_);
    });
    const std::uint64_t bytes = bytes_of(transfer);
    if (goes_on && bytes == 0) return;
    const OperationId read = add_operation(transfer);
    if (goes_on && !pending.staged) pending.staged = !is_contiguous(transfer);
    for_chunks(transfer, transfer.source, [&](ChunkState& chunk, std::uint64_t) {
      if (chunk.writer != kNoOperation) edges_.emplace_back(chunk.writer, read);
      chunk.readers.push_back(read);
      if (goes_on) chunk.sent_in_step = step_;
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

  /// Receives what passes through a rank of this process, and sends it on.
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
    add_moves(write, transfer,
              [&](const Schedule::Place& place, std::uint64_t length, std::uint64_t id) {
                const bool reduces =
                    transfer.action == Action::reduce && state(transfer.destination, id).holds;
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

  /// The chunks of the destination are written by `write`, after all that read or wrote them;
  /// kNoOperation: they have no bytes.
  void mark_written(const Transfer& transfer, OperationId write) {
    for_chunks(transfer, transfer.destination, [&](ChunkState& chunk, std::uint64_t) {
      chunk.holds = true;
      if (write == kNoOperation) return;
      if (chunk.writer != kNoOperation) edges_.emplace_back(chunk.writer, write);
      for (const OperationId reader : chunk.readers) {
        if (reader != write) edges_.emplace_back(reader, write);
      }
      chunk.readers.clear();
      chunk.writer = write;
    });
  }

  /// Not where it is reduced or in pieces; nor where this step also sends what is overwritten: two
  /// partners who swap would each wait for the other to receive.
  [[nodiscard]] bool may_land_in_place(const Transfer& transfer) {
    bool may = is_contiguous(transfer);
    for_chunks(transfer, transfer.destination, [&](ChunkState& chunk, std::uint64_t) {
      may =
          may && chunk.sent_in_step != step_ && !(transfer.action == Action::reduce && chunk.holds);
    });
    return may;
  }

  /// Whether the chunks of a transfer, which have bytes, lie in one block.
  [[nodiscard]] bool is_contiguous(const Transfer& transfer) const {
    const std::uint64_t last = transfer.first_chunk + transfer.chunk_count - 1;
    return first_place(transfer).block == schedule_.place(channel_, last).block;
  }

  [[nodiscard]] Schedule::Place first_place(const Transfer& transfer) const {
    return schedule_.place(channel_, transfer.first_chunk);
  }

  std::uint64_t first_byte(const Transfer& transfer) {
    return source_of(transfer, first_place(transfer));
  }

  [[nodiscard]] std::uint64_t bytes_of(const Transfer& transfer) const {
    return static_cast<std::uint64_t>(schedule_.bytes(channel_, transfer).count());
  }

  /// Adds make(place, length, chunk) for each chunk of a transfer, joined where they are
  /// contiguous.
  template <class Make>
  void add_moves(OperationId id, const Transfer& transfer, Make make) {
    Operation& operation = program_.operations[id];
    operation.first_move = static_cast<std::uint32_t>(program_.moves.size());
    for (std::uint64_t i = 0; i < transfer.chunk_count; ++i) {
      const std::uint64_t chunk = transfer.first_chunk + i;
      const Schedule::Place place = schedule_.place(channel_, chunk);
      const auto length = static_cast<std::uint64_t>(place.length.count());
      if (length == 0) continue;
      const Move move = make(place, length, chunk);
      if (operation.move_count != 0 && joined(program_.moves.back(), move)) continue;
      program_.moves.push_back(move);
      ++operation.move_count;
    }
  }

  /// Lengthens `last` by `move` where they are one.
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
    program_.operations.push_back({.channel = static_cast<std::uint32_t>(channel_),
                                   .source = transfer.source,
                                   .destination = transfer.destination});
    return static_cast<OperationId>(program_.operations.size() - 1);
  }

  void make_message(OperationId id, Work work, const Message& message) {
    program_.operations[id].work = work;
    program_.operations[id].message = static_cast<std::uint32_t>(program_.messages.size());
    program_.messages.push_back(message);
  }

  ChunkState& state(Participant participant, std::uint64_t chunk) {
    const std::uint64_t chunks =
        schedule_.blocks() * schedule_.channels()[channel_].chunks_per_block;
    return chunks_[participant * chunks + chunk];
  }

  template <class Visit>
  void for_chunks(const Transfer& transfer, Participant participant, Visit visit) {
    for (std::uint64_t i = 0; i < transfer.chunk_count; ++i) {
      visit(state(participant, transfer.first_chunk + i), transfer.first_chunk + i);
    }
  }

  std::logic_error nothing_held(const Transfer& transfer, std::uint64_t chunk) const {
    return std::logic_error(fmt::format(
        "schedule '{}': participant {} sends chunk {} of channel {} to {} before anything is in it",
        schedule_.algorithm(), transfer.source, chunk, channel_, transfer.destination));
  }

  const Schedule& schedule_;
  Division division_;
  BlockLayout layout_;
  Program program_;
  std::vector<TaskGraph::Edge> edges_;
  std::unordered_map<std::uint64_t, ChunkState> chunks_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> sent_;
  std::vector<Pending> pending_;
  std::size_t channel_ = 0;
  std::uint64_t step_ = 0;
};

}  // namespace

Program compile(const Schedule& schedule, const Division& division) {
  return Compiler(schedule, division).run();
}

}  // namespace railyard::hw
