#include <algorithm>
#include <array>

#include "core/diagnostic.hpp"
#include "placement/cost/pipeline.hpp"
#include "placement/cost/pipeline_orders.hpp"
#include "placement/cost/replica_stream.hpp"

namespace railyard::placement {
namespace {

/// Arrival times of the outputs of passes, by kind, chunk and micro-batch; never() until known.
class Arrivals {
 public:
  Arrivals(int chunks, int micro_batches)
      : micro_batches_(micro_batches),
        forward_(static_cast<std::size_t>(chunks) * static_cast<std::size_t>(micro_batches),
                 Time::never()),
        backward_(forward_) {}
  Time& at(char kind, int chunk, int micro_batch) {
    auto& times = kind == 'F' ? forward_ : backward_;
    return times[static_cast<std::size_t>(chunk) * static_cast<std::size_t>(micro_batches_) +
                 static_cast<std::size_t>(micro_batch)];
  }

 private:
  int micro_batches_;
  std::vector<Time> forward_, backward_;
};

/// State of a rank: its order, the next entry, and when it and its two sending directions become
/// free.
struct RankState {
  std::vector<PipelineSlot> order{};
  std::vector<std::array<std::size_t, 2>> turns{};  ///< by chunk: first forward, last gradients
  ReplicaTimeline replicas;
  std::size_t next = 0;
  Time free{}, done{};
  std::array<Time, 2> sending{};
};

class Runner {
 public:
  Runner(const Pipeline& p, std::span<const ChunkTimes> chunks, const ReplicaStream& replicas)
      : p_(p),
        chunks_(chunks),
        last_chunk_(p.ranks * p.interleave - 1),
        arrivals_(last_chunk_ + 1, p.micro_batches) {
    for (int rank = 0; rank < p.ranks; ++rank) add_rank(rank, replicas);
  }

  PipelineRun run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
        while (advance(static_cast<int>(rank))) moved = true;
    }
    for (const RankState& rank : ranks_) {
      if (rank.next < rank.order.size())
        throw InputError("", "schedule", "the order of passes waits for itself");
      run_.done.push_back(std::max(rank.done, rank.replicas.done()));
      run_.total = std::max(run_.total, rank.done);
    }
    return std::move(run_);
  }

 private:
  void add_rank(int rank, const ReplicaStream& replicas) {
    RankState& state = ranks_.emplace_back(
        RankState{.order = rank_order(p_, rank), .replicas = {replicas, rank, run_.replicas}});
    constexpr std::size_t kNever = ~std::size_t{0};
    state.turns.assign(static_cast<std::size_t>(last_chunk_) + 1, {kNever, kNever});
    const auto note = [&](const PipelineWork& work, std::size_t slot) {
      auto& [first, last] = state.turns[static_cast<std::size_t>(work.chunk)];
      if (work.kind == 'F' && first == kNever) {
        first = slot;
        if (!replicas.chunks.empty() && replicas.overlaps && !replicas.every_pass)
          state.replicas.gather_first(work.chunk);
      }
      if (work.kind == 'W' || (work.kind == 'B' && !work.split)) last = slot;
    };
    for (std::size_t slot = 0; slot < state.order.size(); ++slot) {
      note(state.order[slot].work, slot);
      if (state.order[slot].beside) note(*state.order[slot].beside, slot);
    }
  }

  /// Time at which the input of a pass is available; never() while unknown.
  Time input(const PipelineWork& work) {
    const bool forward = work.kind == 'F';
    if (forward && work.chunk == 0) return Time();
    if (work.kind == 'W') return Time();  // follows its backward pass on the same rank
    if (!forward && work.chunk == last_chunk_)
      return arrivals_.at('F', work.chunk, work.micro_batch);
    return arrivals_.at(work.kind, work.chunk + (forward ? -1 : 1), work.micro_batch);
  }

  [[nodiscard]] Time duration(const PipelineWork& work) const {
    const ChunkTimes& times = chunks_[static_cast<std::size_t>(work.chunk)];
    if (work.kind == 'F') return times.forward;
    if (work.kind == 'W') return times.weight;
    return work.split ? times.backward - times.weight : times.backward;
  }

  /// Performs a pass, records it, and returns its end.
  Time pass(int rank, const PipelineWork& work, Time begin) {
    using Turn = ReplicaTimeline::Turn;
    RankState& state = ranks_[static_cast<std::size_t>(rank)];
    const auto& [first, last] = state.turns[static_cast<std::size_t>(work.chunk)];
    const bool is_first = work.kind == 'F' && state.next == first;
    const bool is_last = work.kind != 'F' && state.next == last;
    const Turn turn = is_first ? Turn::first : is_last ? Turn::last : Turn::between;
    const Time end =
        state.replicas.pass(work.chunk, work.kind, work.split, turn, begin, duration(work));
    run_.passes.push_back({rank, work.chunk, work.micro_batch, work.kind, begin, end});
    return end;
  }

  [[nodiscard]] bool sends(const PipelineWork& work) const {
    if (p_.ranks == 1) return false;
    return work.kind == 'F' ? work.chunk < last_chunk_ : work.kind == 'B' && work.chunk > 0;
  }

  /// Sends the result of a pass, which is complete at `end`, and records the message in `pass`.
  void send(RankState& state, PipelinePass& pass, const PipelineWork& work, Time end) {
    if (work.kind == 'W') return;
    Time& arrival = arrivals_.at(work.kind, work.chunk, work.micro_batch);
    arrival = end;
    if (!sends(work)) return;
    const bool other_way = p_.schedule == PipelineSchedule::dualpipe && work.chunk != pass.rank;
    pass.sends = true;
    pass.toward_next = (work.kind == 'F') != other_way;
    Time& way = state.sending[pass.toward_next ? 1 : 0];
    arrival = std::max(end, way) + p_.hop;
    way = pass.arrives = arrival;
    if (p_.hop_blocks) state.free = std::max(state.free, arrival);
  }

  /// Performs a rank's next entry if its inputs are known; returns whether it did.
  bool advance(int rank) {
    RankState& state = ranks_[static_cast<std::size_t>(rank)];
    if (state.next == state.order.size()) return false;
    const PipelineSlot& slot = state.order[state.next];
    const Time one = input(slot.work), other = slot.beside ? input(*slot.beside) : Time();
    if (one == Time::never() || other == Time::never()) return false;
    const std::size_t at = run_.passes.size();
    Time end = pass(rank, slot.work, std::max({state.free, one, other}));
    if (slot.beside) end = pass(rank, *slot.beside, end);
    state.free = state.done = end;
    send(state, run_.passes[at], slot.work, end);
    if (slot.beside) send(state, run_.passes[at + 1], *slot.beside, end);
    ++state.next;
    return true;
  }

  const Pipeline& p_;
  std::span<const ChunkTimes> chunks_;
  int last_chunk_;
  Arrivals arrivals_;
  PipelineRun run_{};
  std::vector<RankState> ranks_{};
};

}  // namespace

PipelineRun run_pipeline(const Pipeline& p, std::span<const ChunkTimes> chunks,
                         const ReplicaStream& replicas) {
  if (p.interleave > 1 && p.micro_batches % p.ranks != 0)
    throw InputError("", "interleave", "interleaved stages need micro-batches in multiples of pp");
  if (p.schedule == PipelineSchedule::dualpipe &&
      (p.ranks % 2 != 0 || p.micro_batches % 2 != 0 || p.micro_batches < 2 * p.ranks))
    throw InputError("", "schedule",
                     "dualpipe needs an even number of stages, and of micro-batches twice as many "
                     "or more, even too");
  return Runner(p, chunks, replicas).run();
}

}  // namespace railyard::placement
