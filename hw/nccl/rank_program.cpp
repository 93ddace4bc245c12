#include "hw/nccl/rank_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "collectives/schedule/schedule_walk.hpp"
#include "core/diagnostic.hpp"
#include "hw/local/block_layout.hpp"

namespace railyard::hw::nccl {
namespace {

using collectives::Action;
using collectives::Participant;
using collectives::Schedule;
using collectives::Transfer;
using collectives::WalkedTransfer;

/// Rounds of the last write and read of a chunk of a participant; -1: none yet.
struct ChunkState {
  int written = -1;
  int read = -1;
};

/// Contiguous bytes of a block, which both ends of a transfer handle as one message.
struct Piece {
  std::uint64_t block = 0, offset = 0, bytes = 0;
};

/// A message in its round; staging is placed when all of a round are known.
struct Placed {
  int round = 0;
  Exchange message;
  bool staged = false;
  std::vector<Move> moves;  ///< from is relative to the message's place
};

/// One transfer of the step that is being compiled.
struct Pending {
  Transfer transfer;
  int leaves = 0;   ///< round in which the source sends
  int arrives = 0;  ///< round in which the destination receives; later where a relay is between
  int parts = 1;    ///< through a relay: one part a round, so that the relay sends as it receives
  bool staged = false;

  [[nodiscard]] int last_leaves() const { return leaves + parts - 1; }
  [[nodiscard]] int last_arrives() const { return arrives + parts - 1; }
};

/// BlockLayout's line: staging begins on one, as blocks do.
constexpr std::uint64_t kLine = 64;

/// Largest number of parts of a relayed message. A relay delays it by one part; more parts require
/// more group launches.
constexpr std::uint64_t kMostParts = 8;

class Compiler {
 public:
  Compiler(const Schedule& schedule, Participant me, std::uint64_t relayed_part)
      : schedule_(schedule),
        me_(me),
        relayed_part_(relayed_part),
        layout_(schedule),
        walk_(schedule, *this) {
    for (const std::uint64_t block :
         collectives::blocks_before(schedule.collective(), schedule.group().size(), me)) {
      program_.before.push_back({me, block, layout_.block(me, block)});
    }
  }

  RankProgram run() {
    walk_.run();
    for (const std::uint64_t block :
         collectives::blocks_after(schedule_.collective(), schedule_.group().size(), me_)) {
      program_.after.push_back({me_, block, layout_.block(me_, block)});
    }
    place_rounds();
    return std::move(program_);
  }

  // For ScheduleWalk: the round of a message depends on every transfer, also on those of other
  // ranks.
  [[nodiscard]] bool tracks(Participant) const { return true; }
  [[nodiscard]] bool takes_part(const Transfer&) const { return true; }
  void begin_channel() { pairs_.clear(); }
  void step(std::span<const WalkedTransfer> transfers) {
    pending_.clear();
    for (const WalkedTransfer& walked : transfers)
      pending_.push_back({.transfer = walked.transfer, .staged = walked.overwrites_read});
    const bool overlaps = std::ranges::any_of(pending_, &Pending::staged);
    int latest = 0;
    for (Pending& pending : pending_) {
      // Not if the step overwrites what it reads: a late part would send overwritten data.
      if (!overlaps && has_relay(pending.transfer)) pending.parts = parts_of(pending.transfer);
      set_rounds(pending);
      latest = std::max(latest, pending.leaves);
      if (!overlaps) record(pending);
    }
    if (!overlaps) return;
    // Sources are read as they were before the step, so all of it is one round.
    for (Pending& pending : pending_) {
      pending.arrives = std::max(latest + (has_relay(pending.transfer) ? 1 : 0), pending.arrives);
      pending.leaves = latest;
    }
    for (const Pending& pending : pending_) record_read(pending);
    for (Pending& pending : pending_) {
      walk_.for_destination(pending.transfer, [&](const Chunk& chunk) {
        pending.staged |= std::max(chunk.state.read, chunk.state.written) >= pending.arrives;
      });
      record_write(pending);
    }
  }

 private:
  using Walk = collectives::ScheduleWalk<ChunkState, Compiler>;
  using Chunk = Walk::Chunk;

  void set_rounds(Pending& pending) {
    const Transfer& transfer = pending.transfer;
    walk_.for_destination(transfer, [&](const Chunk& chunk) {
      pending.staged |= transfer.action == Action::reduce && chunk.holds;
    });
    walk_.for_source(transfer, [&](const Chunk& chunk) {
      pending.leaves = std::max(pending.leaves, chunk.state.written + 1);
    });
    const bool relayed = has_relay(transfer);
    if (relayed)
      pending.leaves = std::max(pending.leaves, after_last(transfer.source, transfer.relay));
    pending.arrives =
        std::max(relayed ? pending.leaves + 1 : pending.leaves,
                 after_last(relayed ? transfer.relay : transfer.source, transfer.destination));
    const int later = pending.staged ? 0 : 1;
    walk_.for_destination(transfer, [&](const Chunk& chunk) {
      pending.arrives =
          std::max({pending.arrives, chunk.state.read + later, chunk.state.written + later});
    });
    if (!relayed) pending.leaves = pending.arrives;
  }

  void record(const Pending& pending) {
    record_read(pending);
    record_write(pending);
  }

  void record_read(const Pending& pending) {
    walk_.for_source(pending.transfer, [&](Chunk& chunk) {
      chunk.state.read = std::max(chunk.state.read, pending.last_leaves());
    });
  }

  void record_write(const Pending& pending) {
    const Transfer& transfer = pending.transfer;
    const bool relayed = has_relay(transfer);
    if (relayed) last(transfer.source, transfer.relay) = pending.last_leaves();
    last(relayed ? transfer.relay : transfer.source, transfer.destination) = pending.last_arrives();
    if (transfer.source == me_ || transfer.destination == me_ || (relayed && transfer.relay == me_))
      emit(pending);
    walk_.write(transfer, [&](Chunk& chunk) {
      chunk.state.written = std::max(chunk.state.written, pending.last_arrives());
    });
  }

  void emit(const Pending& pending) {
    const Transfer& transfer = pending.transfer;
    const bool relayed = has_relay(transfer);
    int part = 0;
    for (const std::vector<Piece>& pieces_of_part : cut(pieces(transfer), pending.parts)) {
      const int leaves = pending.leaves + part;
      const int arrives = pending.arrives + part++;
      for (const Piece& piece : pieces_of_part) {
        if (transfer.source == me_) {
          const Participant next = relayed ? transfer.relay : transfer.destination;
          add(leaves, {next, true, place_of(piece), piece.bytes});
        } else if (transfer.destination == me_) {
          receive(pending, arrives, piece, relayed ? transfer.relay : transfer.source);
        } else {
          const std::uint64_t kept = layout_.staging(piece.bytes);
          add(leaves, {transfer.source, false, kept, piece.bytes});
          add(arrives, {transfer.destination, true, kept, piece.bytes});
        }
      }
    }
  }

  void receive(const Pending& pending, int round, const Piece& piece, Participant from) {
    add(round, {from, false, place_of(piece), piece.bytes});
    if (!pending.staged) return;
    Placed& placed = placed_.back();
    placed.staged = true;
    const Transfer& transfer = pending.transfer;
    for (std::uint64_t i = 0; i < transfer.chunk_count; ++i) {
      const std::uint64_t id = transfer.first_chunk + i;
      const Schedule::Place place = schedule_.place(walk_.channel(), id);
      if (place.block != piece.block) continue;
      const auto offset = static_cast<std::uint64_t>(place.offset.count());
      const std::uint64_t begin = std::max(offset, piece.offset);
      const std::uint64_t end = std::min(offset + static_cast<std::uint64_t>(place.length.count()),
                                         piece.offset + piece.bytes);
      if (begin >= end) continue;
      const bool reduces = transfer.action == Action::reduce && walk_.chunk(me_, id).holds;
      const std::uint64_t relative = begin - piece.offset;
      auto& moves = placed.moves;
      if (!moves.empty() && moves.back().reduces == reduces) {
        moves.back().bytes += end - begin;  // chunks of a piece are contiguous
      } else {
        moves.push_back({relative, place_of(piece) + relative, end - begin, reduces});
      }
    }
  }

  /// Number of parts of a message: as many whole parts of the requested size as it has.
  [[nodiscard]] int parts_of(const Transfer& transfer) const {
    std::uint64_t bytes = 0;
    for (const Piece& piece : pieces(transfer)) bytes += piece.bytes;
    return static_cast<int>(std::clamp<std::uint64_t>(bytes / relayed_part_, 1, kMostParts));
  }

  /// Pieces one after the other, cut into parts of nearly equal bytes, at lines.
  static std::vector<std::vector<Piece>> cut(const std::vector<Piece>& whole, int parts) {
    if (parts == 1) return {whole};
    std::uint64_t bytes = 0;
    for (const Piece& piece : whole) bytes += piece.bytes;
    const std::uint64_t each =
        (bytes / static_cast<std::uint64_t>(parts) + kLine - 1) / kLine * kLine;
    std::vector<std::vector<Piece>> all(static_cast<std::size_t>(parts));
    std::uint64_t done = 0;
    for (Piece left : whole) {
      while (left.bytes > 0) {
        const auto part = std::min<std::uint64_t>(done / each, all.size() - 1);
        const bool is_last = part + 1 == all.size();
        const std::uint64_t room = is_last ? left.bytes : (part + 1) * each - done;
        const std::uint64_t taken = std::min(left.bytes, room);
        all[part].push_back({left.block, left.offset, taken});
        left.offset += taken;
        left.bytes -= taken;
        done += taken;
      }
    }
    return all;
  }

  std::vector<Piece> pieces(const Transfer& transfer) const {
    std::vector<Piece> found;
    for (std::uint64_t i = 0; i < transfer.chunk_count; ++i) {
      const Schedule::Place place = schedule_.place(walk_.channel(), transfer.first_chunk + i);
      const auto offset = static_cast<std::uint64_t>(place.offset.count());
      const auto length = static_cast<std::uint64_t>(place.length.count());
      if (length == 0) continue;
      const bool joins = !found.empty() && found.back().block == place.block &&
                         found.back().offset + found.back().bytes == offset;
      if (joins) {
        found.back().bytes += length;
      } else {
        found.push_back({place.block, offset, length});
      }
    }
    return found;
  }

  void add(int round, const Exchange& message) { placed_.push_back({round, message, false, {}}); }

  void place_rounds() {
    std::ranges::stable_sort(placed_, {}, &Placed::round);
    const std::uint64_t base = (layout_.size() + kLine - 1) / kLine * kLine;
    program_.arena_bytes = base;
    for (std::size_t i = 0; i < placed_.size();) {
      const int number = placed_[i].round;
      Round round{.first_message = static_cast<std::uint32_t>(program_.messages.size()),
                  .first_move = static_cast<std::uint32_t>(program_.moves.size())};
      std::uint64_t next = base;
      for (; i < placed_.size() && placed_[i].round == number; ++i) {
        Placed& placed = placed_[i];
        if (placed.staged) {
          // The same alignment as its destination, so that wide loads are possible for both.
          placed.message.offset = next + placed.message.offset % kLine;
          next = (placed.message.offset + placed.message.bytes + kLine - 1) / kLine * kLine;
        }
        for (Move move : placed.moves) {
          move.from += placed.message.offset;
          program_.moves.push_back(move);
        }
        program_.messages.push_back(placed.message);
      }
      program_.arena_bytes = std::max(program_.arena_bytes, next);
      round.message_count =
          static_cast<std::uint32_t>(program_.messages.size()) - round.first_message;
      round.move_count = static_cast<std::uint32_t>(program_.moves.size()) - round.first_move;
      program_.rounds.push_back(round);
    }
  }

  static bool has_relay(const Transfer& transfer) {
    return transfer.relay != collectives::kNoParticipant && transfer.relay != transfer.source &&
           transfer.relay != transfer.destination;
  }

  std::uint64_t place_of(const Piece& piece) {
    return layout_.block(me_, piece.block) + piece.offset;
  }

  int& last(Participant source, Participant destination) {
    return pairs_.try_emplace(std::uint64_t{source} << 32 | destination, -1).first->second;
  }
  int after_last(Participant source, Participant destination) {
    // Messages of one step between two ranks are in the same round.
    return last(source, destination) + 1;
  }

  const Schedule& schedule_;
  const Participant me_;
  const std::uint64_t relayed_part_;
  BlockLayout layout_;
  RankProgram program_;
  std::vector<Pending> pending_;
  std::vector<Placed> placed_;
  std::unordered_map<std::uint64_t, int> pairs_;
  Walk walk_;
};

}  // namespace

bool RankProgram::reduces() const { return std::ranges::any_of(moves, &Move::reduces); }

RankProgram compile_rank(const Schedule& schedule, std::uint32_t me, std::uint64_t relayed_part) {
  if (!schedule.reducers().empty()) {
    throw InputError("", "--algorithm",
                     fmt::format("'{}' reduces in switches, which sends and receives cannot do",
                                 schedule.algorithm()),
                     "take --algorithm native, or an algorithm that reduces in ranks");
  }
  return Compiler(schedule, me, relayed_part).run();
}

}  // namespace railyard::hw::nccl
