#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "collectives/schedule/holdings.hpp"
#include "collectives/schedule/schedule.hpp"

namespace railyard::collectives {

/// The state of a participant's chunk during a walk: the visitor's own state, and what the replay
/// rule needs. Steps are counted from 1 through the whole walk; 0 means none yet.
template <class State>
struct WalkedChunk {
  State state{};
  bool holds = false;                 ///< the chunk contains data
  std::uint64_t read_in_step = 0;     ///< number of the last step that reads it
  std::uint64_t written_in_step = 0;  ///< number of the last step that writes it
};

/// A transfer of the current step. All transfers of a step read the data as it was before the step,
/// so a chunk that is both read and written in the step needs a copy.
struct WalkedTransfer {
  Transfer transfer;
  bool reads_overwritten = false;  ///< the step writes a chunk that this transfer reads
  bool overwrites_read = false;    ///< the step reads a chunk that this transfer writes
};

/// Walks through a schedule in its order (channels, loops, iterations, steps) and tracks the state
/// of every chunk by the replay rule. Compilers of schedules for executors are visitors of this
/// walk. `State` is the visitor's state of one chunk. A visitor has
///   bool tracks(Participant)                 whether chunks of a participant are tracked
///   bool takes_part(const Transfer&)         transfers for which it is false are skipped
///   void begin_channel()                     all chunks are as before the collective
///   void step(std::span<const WalkedTransfer>)
/// Throws std::logic_error if a tracked participant sends a chunk that contains no data yet.
template <class State, class Visitor>
class ScheduleWalk {
 public:
  using Chunk = WalkedChunk<State>;

  ScheduleWalk(const Schedule& schedule, Visitor& visitor)
      : schedule_(schedule), visitor_(visitor) {}

  void run() {
    for (channel_ = 0; channel_ < schedule_.channels().size(); ++channel_) {
      begin_channel();
      for (const Loop& loop : schedule_.channels()[channel_].loops)
        for (std::uint64_t iteration = 0; iteration < loop.repeat; ++iteration)
          for (const Step& step : loop.steps) walk_step(step, iteration);
    }
  }

  [[nodiscard]] const Schedule& schedule() const { return schedule_; }
  /// The index of the current channel.
  [[nodiscard]] std::size_t channel() const { return channel_; }

  /// Calls visit(chunk) for each chunk that a transfer reads.
  template <class Visit>
  void for_source(const Transfer& transfer, Visit visit) {
    for_chunks(transfer, transfer.source, visit);
  }
  /// Calls visit(chunk) for each chunk that a transfer writes.
  template <class Visit>
  void for_destination(const Transfer& transfer, Visit visit) {
    for_chunks(transfer, transfer.destination, visit);
  }
  /// Calls visit(chunk) for each chunk that a transfer writes, and marks it as containing data.
  template <class Visit>
  void write(const Transfer& transfer, Visit visit) {
    for_destination(transfer, [&](Chunk& chunk) {
      visit(chunk);
      chunk.holds = true;
    });
  }
  /// A participant's chunk by its number in the channel.
  [[nodiscard]] Chunk& chunk(Participant participant, std::uint64_t number) {
    return chunks_[participant * chunk_count_ + number];
  }

 private:
  void begin_channel() {
    const std::uint64_t pieces = schedule_.channels()[channel_].chunks_per_block;
    chunk_count_ = schedule_.blocks() * pieces;
    chunks_.clear();
    const std::uint32_t ranks = schedule_.group().size();
    for (Participant rank = 0; rank < ranks; ++rank) {
      if (!visitor_.tracks(rank)) continue;
      for (const std::uint64_t block : blocks_before(schedule_.collective(), ranks, rank))
        for (std::uint64_t i = 0; i < pieces; ++i) chunk(rank, block * pieces + i).holds = true;
    }
    visitor_.begin_channel();
  }

  void walk_step(const Step& step, std::uint64_t iteration) {
    ++step_;
    transfers_.clear();
    for (std::uint64_t i = 0; i < step.size(); ++i) {
      const Transfer transfer = step.at(i, iteration);
      if (transfer.source == transfer.destination || !visitor_.takes_part(transfer)) continue;
      transfers_.push_back({.transfer = transfer});
      mark(transfer);
    }
    for (WalkedTransfer& walked : transfers_) {
      if (visitor_.tracks(walked.transfer.source)) check_source(walked);
      if (!visitor_.tracks(walked.transfer.destination)) continue;
      for_destination(walked.transfer, [&](const Chunk& chunk) {
        walked.overwrites_read |= chunk.read_in_step == step_;
      });
    }
    visitor_.step(std::span<const WalkedTransfer>(transfers_));
  }

  void mark(const Transfer& transfer) {
    if (visitor_.tracks(transfer.source))
      for_source(transfer, [&](Chunk& chunk) { chunk.read_in_step = step_; });
    if (visitor_.tracks(transfer.destination))
      for_destination(transfer, [&](Chunk& chunk) { chunk.written_in_step = step_; });
  }

  void check_source(WalkedTransfer& walked) {
    const Transfer& transfer = walked.transfer;
    std::uint64_t number = transfer.first_chunk;
    for_source(transfer, [&](const Chunk& chunk) {
      if (!chunk.holds)
        throw std::logic_error(fmt::format(
            "schedule '{}': participant {} sends chunk {} of channel {} to {} before anything is "
            "in it",
            schedule_.algorithm(), transfer.source, number, channel_, transfer.destination));
      walked.reads_overwritten |= chunk.written_in_step == step_;
      ++number;
    });
  }

  template <class Visit>
  void for_chunks(const Transfer& transfer, Participant participant, Visit visit) {
    for (std::uint64_t i = 0; i < transfer.chunk_count; ++i)
      visit(chunk(participant, transfer.first_chunk + i));
  }

  const Schedule& schedule_;
  Visitor& visitor_;
  std::size_t channel_ = 0;
  std::uint64_t step_ = 0;
  std::uint64_t chunk_count_ = 0;  ///< number of chunks of a participant
  std::vector<WalkedTransfer> transfers_;
  std::unordered_map<std::uint64_t, Chunk> chunks_;  ///< key: participant * chunk_count_ + number
};

}  // namespace railyard::collectives
