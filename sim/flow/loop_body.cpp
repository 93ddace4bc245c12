#include "sim/flow/loop_body.hpp"

#include <cassert>
#include <optional>
#include <span>
#include <variant>

namespace railyard::sim {
namespace {

using collectives::Loop;
using collectives::Schedule;
using collectives::Step;

double payload(const Schedule& schedule, std::size_t channel,
               const collectives::Transfer& transfer) {
  return static_cast<double>(schedule.bytes(channel, transfer).count());
}

/// The total bytes of each place of a ring of n places. In iteration k place p sends the piece that
/// place p + k * shift sends in iteration 0. With shift ±1 the total of a place is the sum over a
/// window of `repeat` consecutive places on that circle.
void add_ring_totals(std::span<LoopTransfer> transfers, std::span<const double> first,
                     std::uint64_t repeat, bool forward) {
  const std::size_t n = first.size();
  double turn = 0;
  for (const double bytes : first) turn += bytes;
  const std::size_t turns = repeat / n;
  const double laps = static_cast<double>(turns) * turn;
  const std::size_t rest = static_cast<std::size_t>(repeat % n);
  // Window of place 0: {0, 1, ..., rest - 1} forward, {0, n - 1, ..., n - rest + 1} backward.
  double window = 0;
  for (std::size_t k = 0; k < rest; ++k) window += first[forward ? k : (n - k) % n];
  for (std::size_t p = 0; p < n; ++p) {
    transfers[p].bytes += laps + window;
    // For the next place the window moves by one: one piece is added at one end, one is removed at
    // the other.
    window += first[forward ? (p + rest) % n : (p + 1) % n];
    window -= first[forward ? p : (p + n + 1 - rest) % n];
  }
}

/// The chunks of all iterations as one transfer; empty unless those of successive iterations are
/// adjacent.
std::optional<collectives::Transfer> end_to_end(const Step& step, std::uint64_t i,
                                                std::uint64_t repeat) {
  auto all = step.at(i, 0);
  // All iterations shift by the same stride, so it is enough to check the last one.
  if (step.at(i, repeat - 1).first_chunk != all.first_chunk + (repeat - 1) * all.chunk_count)
    return {};
  all.chunk_count *= repeat;
  return all;
}

void add_iterations(std::span<LoopTransfer> transfers, const Schedule& schedule,
                    std::size_t channel, const Step& step, std::uint64_t repeat) {
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    if (const auto all = end_to_end(step, i, repeat)) {
      transfers[i].bytes += payload(schedule, channel, *all);
      continue;
    }
    for (std::uint64_t k = 0; k < repeat; ++k)
      transfers[i].bytes += payload(schedule, channel, step.at(i, k));
  }
}

/// Adds the bytes of a step, over all iterations of its loop, to the transfers.
void add_step(std::span<LoopTransfer> transfers, const Schedule& schedule, std::size_t channel,
              const Loop& loop, const Step& step, std::span<const double> first) {
  if (loop.repeat == 0) return;
  const auto* ring = std::get_if<collectives::RingPattern>(&step.pattern);
  if (ring == nullptr || (ring->shift != 1 && ring->shift != -1)) {
    add_iterations(transfers, schedule, channel, step, loop.repeat);
    return;
  }
  const std::size_t places = ring->ring_size > 0 ? ring->ring_size : transfers.size();
  for (std::size_t begin = 0; begin < transfers.size(); begin += places)
    add_ring_totals(transfers.subspan(begin, places), first.subspan(begin, places), loop.repeat,
                    ring->shift == 1);
}

}  // namespace

LoopBody loop_body(const collectives::Schedule& schedule, std::size_t channel, const Stage& stage) {
  LoopBody body;
  const Loop& head = stage.loops.front();
  for (const auto& step : head.steps) {
    for (std::uint64_t i = 0; i < step.size(); ++i)
      body.transfers.push_back({.transfer = step.at(i, 0)});
    body.step_end.push_back(body.transfers.size());
  }
  std::vector<double> first;
  for (const auto& loop : stage.loops) {
    std::size_t begin = 0;
    for (std::size_t s = 0; s < loop.steps.size(); ++s) {
      const auto transfers = std::span(body.transfers).subspan(begin, body.step_end[s] - begin);
      first.clear();
      for (std::size_t i = 0; i < transfers.size(); ++i)
        first.push_back(payload(schedule, channel, loop.steps[s].at(i, 0)));
      if (&loop == &head)
        for (std::size_t i = 0; i < transfers.size(); ++i) transfers[i].first_bytes = first[i];
      add_step(transfers, schedule, channel, loop, loop.steps[s], first);
      begin = body.step_end[s];
    }
  }
  return body;
}

}  // namespace railyard::sim
