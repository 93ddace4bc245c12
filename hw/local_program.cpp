#include "hw/local_program.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <unordered_map>

#include "hw/holdings.hpp"
#include "hw/local_layout.hpp"

namespace railyard::hw {
namespace {

using collectives::Action;
using collectives::Participant;
using collectives::Schedule;
using collectives::Transfer;

constexpr OperationId kNoOperation = ~OperationId{0};

/// What has been done to a chunk of a participant so far.
struct ChunkState {
  OperationId writer = kNoOperation;  ///< the last one
  std::vector<OperationId> readers;   ///< since that write
  std::uint64_t written_in_step = 0;  ///< the last step that writes it
  bool holds = false;                 ///< there is something in it
};

/// One transfer of the step that is being compiled.
struct Pending {
  Transfer transfer;
  OperationId receive = kNoOperation;  ///< the operation that writes the destination
  std::uint64_t staging = 0;
  bool staged = false;
};

class Compiler {
 public:
  explicit Compiler(const Schedule& schedule) : schedule_(schedule), layout_(schedule) {
    const std::uint32_t ranks = schedule.group().size();
    for (Participant rank = 0; rank < ranks; ++rank) {
      for (const std::uint64_t block : blocks_before(schedule.collective(), ranks, rank)) {
        program_.before.push_back({rank, block, layout_.block(rank, block)});
      }
    }
  }

  LocalProgram run() {
    for (channel_ = 0; channel_ < schedule_.channels().size(); ++channel_) compile_channel();
    const std::uint32_t ranks = schedule_.group().size();
    for (Participant rank = 0; rank < ranks; ++rank) {
      for (const std::uint64_t block : blocks_after(schedule_.collective(), ranks, rank)) {
        program_.after.push_back({rank, block, layout_.block(rank, block)});
      }
    }
    program_.graph =
        TaskGraph(static_cast<OperationId>(program_.operations.size()), std::move(edges_));
    program_.arena_bytes = layout_.size();
    return std::move(program_);
  }

 private:
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
    for (std::uint64_t i = 0; i < step.size(); ++i) {
      const Transfer transfer = step.at(i, iteration);
      if (transfer.source == transfer.destination) continue;
      pending_.push_back({.transfer = transfer});
      for_chunks(transfer, transfer.destination,
                 [&](ChunkState& chunk, std::uint64_t) { chunk.written_in_step = step_; });
    }
    // All reads come before all writes of a step: every source is as it was before the step.
    for (Pending& pending : pending_) compile_read(pending);
    for (Pending& pending : pending_) compile_write(pending);
  }

  void compile_read(Pending& pending) {
    const Transfer& transfer = pending.transfer;
    pending.staged = transfer.relay != collectives::kNoParticipant;
    for_chunks(transfer, transfer.source, [&](ChunkState& chunk, std::uint64_t id) {
      if (!chunk.holds) throw nothing_held(transfer, id);
      pending.staged = pending.staged || chunk.written_in_step == step_;
    });
    const OperationId read = add_operation(transfer);
    for_chunks(transfer, transfer.source, [&](ChunkState& chunk, std::uint64_t) {
      if (chunk.writer != kNoOperation) edges_.emplace_back(chunk.writer, read);
      chunk.readers.push_back(read);
    });
    pending.receive = read;
    if (!pending.staged) return;
    const Bytes bytes = schedule_.bytes(channel_, transfer);
    pending.staging = layout_.staging(static_cast<std::uint64_t>(bytes.count()));
    std::uint64_t staged = 0;
    add_moves(
        read, transfer, [&](const Schedule::Place& place, std::uint64_t, std::uint64_t length) {
          const Move move{source_of(transfer, place), pending.staging + staged, length, false};
          staged += length;
          return move;
        });
    pending.receive = add_operation(transfer);
    edges_.emplace_back(read, pending.receive);
  }

  void compile_write(const Pending& pending) {
    const Transfer& transfer = pending.transfer;
    const OperationId write = pending.receive;
    program_.operations[write].first_move = static_cast<std::uint32_t>(program_.moves.size());
    std::uint64_t staged = 0;
    add_moves(write, transfer,
              [&](const Schedule::Place& place, std::uint64_t id, std::uint64_t length) {
                const bool reduces =
                    transfer.action == Action::reduce && state(transfer.destination, id).holds;
                const std::uint64_t from =
                    pending.staged ? pending.staging + staged : source_of(transfer, place);
                staged += length;
                return Move{from, destination_of(transfer, place), length, reduces};
              });
    for_chunks(transfer, transfer.destination, [&](ChunkState& chunk, std::uint64_t) {
      if (chunk.writer != kNoOperation) edges_.emplace_back(chunk.writer, write);
      for (const OperationId reader : chunk.readers) {
        if (reader != write) edges_.emplace_back(reader, write);
      }
      chunk.readers.clear();
      chunk.writer = write;
      chunk.holds = true;
    });
  }

  /// Adds make(place, chunk, length) for each chunk of a transfer, joined where they are
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
      const Move move = make(place, chunk, length);
      if (operation.move_count != 0) {
        Move& last = program_.moves.back();
        const bool joins = last.from + last.bytes == move.from && last.to + last.bytes == move.to &&
                           last.reduces == move.reduces;
        if (joins) {
          last.bytes += length;
          continue;
        }
      }
      program_.moves.push_back(move);
      ++operation.move_count;
    }
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
  LocalLayout layout_;
  LocalProgram program_;
  std::vector<TaskGraph::Edge> edges_;
  std::unordered_map<std::uint64_t, ChunkState> chunks_;
  std::vector<Pending> pending_;
  std::size_t channel_ = 0;
  std::uint64_t step_ = 0;
};

}  // namespace

LocalProgram compile(const Schedule& schedule) { return Compiler(schedule).run(); }

}  // namespace railyard::hw
