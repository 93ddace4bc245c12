#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "core/diagnostic.hpp"
#include "placement/pipeline.hpp"

namespace railyard::placement {
namespace {

struct Slot {
  int chunk = 0, micro_batch = 0;
  char kind = 'F';
};

/// Megatron's order of (micro-batch, chunk of the rank) for interleaved stages: `ranks`
/// micro-batches through one chunk, then the same through the next.
std::vector<std::pair<int, int>> interleaved_order(const Pipeline& p) {
  std::vector<std::pair<int, int>> order;
  for (int first = 0; first < p.micro_batches; first += p.ranks)
    for (int v = 0; v < p.interleave; ++v)
      for (int i = first; i < std::min(first + p.ranks, p.micro_batches); ++i)
        order.emplace_back(i, v);
  return order;
}

/// Forward passes before the first backward pass of a rank.
int warm_up(const Pipeline& p, int rank, int passes) {
  if (p.schedule == PipelineSchedule::gpipe) return passes;
  const int deep = p.interleave > 1 ? 2 * (p.ranks - rank - 1) + (p.interleave - 1) * p.ranks
                                    : p.ranks - rank - 1;
  return std::min(deep, passes);
}

/// The passes of a rank in their order.
std::vector<Slot> program(const Pipeline& p, int rank) {
  const auto order = interleaved_order(p);
  const auto passes = static_cast<int>(order.size());
  const auto forward = [&](int i) {
    const auto [micro_batch, v] = order[static_cast<std::size_t>(i)];
    return Slot{rank + v * p.ranks, micro_batch, 'F'};
  };
  const auto backward = [&](int i) {
    const auto [micro_batch, v] = order[static_cast<std::size_t>(i)];
    return Slot{rank + (p.interleave - 1 - v) * p.ranks, micro_batch, 'B'};
  };
  const int warm = warm_up(p, rank, passes);
  std::vector<Slot> slots;
  for (int i = 0; i < warm; ++i) slots.push_back(forward(i));
  int weights = 0;
  const auto weight = [&] { slots.push_back({rank, weights++, 'W'}); };
  const bool split = p.schedule == PipelineSchedule::zero_bubble;
  for (int i = 0; i < passes; ++i) {
    if (warm + i < passes) slots.push_back(forward(warm + i));
    slots.push_back(backward(i));
    // ZB-H1: rank r makes gradients of weights from its (r+1)-th backward pass on.
    if (split && i >= rank) weight();
  }
  while (split && weights < passes) weight();
  return slots;
}

/// Ends of passes, by kind, chunk and micro-batch.
class Ends {
 public:
  Ends(int chunks, int micro_batches)
      : micro_batches_(micro_batches),
        forward_(static_cast<std::size_t>(chunks) * static_cast<std::size_t>(micro_batches),
                 Time::never()),
        backward_(forward_) {}
  Time& at(char kind, int chunk, int micro_batch) {
    auto& ends = kind == 'F' ? forward_ : backward_;
    return ends[static_cast<std::size_t>(chunk) * static_cast<std::size_t>(micro_batches_) +
                static_cast<std::size_t>(micro_batch)];
  }

 private:
  int micro_batches_;
  std::vector<Time> forward_, backward_;
};

/// When the input of a pass is there; never() while it is not known.
Time ready(const Pipeline& p, Ends& ends, const Slot& slot, int last_chunk) {
  if (slot.kind == 'W') return ends.at('B', slot.chunk, slot.micro_batch);
  const bool forward = slot.kind == 'F';
  if (forward && slot.chunk == 0) return Time();
  if (!forward && slot.chunk == last_chunk) return ends.at('F', slot.chunk, slot.micro_batch);
  const Time end = ends.at(slot.kind, slot.chunk + (forward ? -1 : 1), slot.micro_batch);
  return end == Time::never() || p.ranks == 1 ? end : end + p.hop;
}

Time duration(const Pipeline& p, const ChunkTimes& times, char kind) {
  if (kind == 'F') return times.forward;
  if (kind == 'W') return times.weight;
  return p.schedule == PipelineSchedule::zero_bubble ? times.backward - times.weight
                                                     : times.backward;
}

}  // namespace

PipelineRun run_pipeline(const Pipeline& p, std::span<const ChunkTimes> chunks) {
  if (p.schedule == PipelineSchedule::dualpipe)
    throw InputError("", "schedule", "dualpipe has no timeline", "its time is known by formula");
  if (p.interleave > 1 && p.micro_batches % p.ranks != 0)
    throw InputError("", "interleave", "interleaved stages need micro-batches in multiples of pp");
  const int last_chunk = p.ranks * p.interleave - 1;
  Ends ends(last_chunk + 1, p.micro_batches);
  std::vector<std::vector<Slot>> programs;
  for (int rank = 0; rank < p.ranks; ++rank) programs.push_back(program(p, rank));
  std::vector<std::size_t> next(programs.size(), 0);
  std::vector<Time> free(programs.size());
  PipelineRun run;
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t rank = 0; rank < programs.size(); ++rank) {
      while (next[rank] < programs[rank].size()) {
        const Slot slot = programs[rank][next[rank]];
        const Time input = ready(p, ends, slot, last_chunk);
        if (input == Time::never()) break;
        const Time begin = std::max(free[rank], input);
        const Time end =
            begin + duration(p, chunks[static_cast<std::size_t>(slot.chunk)], slot.kind);
        if (slot.kind != 'W') ends.at(slot.kind, slot.chunk, slot.micro_batch) = end;
        // A blocking hop holds the sender (and, by its arrival, the receiver).
        const bool sends =
            slot.kind == 'F' ? slot.chunk < last_chunk : slot.kind == 'B' && slot.chunk > 0;
        free[rank] = end + (p.hop_blocks && p.ranks > 1 && sends ? p.hop : Time());
        run.passes.push_back(
            {static_cast<int>(rank), slot.chunk, slot.micro_batch, slot.kind, begin, end});
        run.total = std::max(run.total, end);
        ++next[rank];
        moved = true;
      }
    }
  }
  for (std::size_t rank = 0; rank < programs.size(); ++rank)
    if (next[rank] < programs[rank].size())
      throw InputError("", "schedule", "the order of passes waits for itself");
  return run;
}

}  // namespace railyard::placement
