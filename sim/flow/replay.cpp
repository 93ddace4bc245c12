#include "sim/flow/replay.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>

#include "core/diagnostic.hpp"

namespace railyard::sim {
namespace {

constexpr std::uint32_t kIsGate = 1u << 31;
constexpr std::uint32_t kEnd = ~std::uint32_t{0};

}  // namespace

Replay::Replay(std::span<const collectives::Loop> loops, std::uint32_t participants)
    : sequence_(loops) {
  if (sequence_.size() >= kIsGate)
    throw InputError(
        "", "--expand",
        fmt::format("a channel of {} transfers is too long to simulate them one by one",
                    sequence_.size()),
        "leave out --expand, or use fewer ranks");
  remaining_ = size();
  free_ = loops.size() == 1 && loops[0].coupling == collectives::Coupling::independent;
  if (free_) return;
  pending_.assign(sequence_.size(), 0);
  first_gate_.reserve(sequence_.size() + 1);
  ArrivalTable arrivals(participants);
  sequence_.for_each_step([&](const collectives::Step& step, std::uint64_t k, std::uint64_t first) {
    read_step(step, k, first, arrivals);
    write_step(step, k, arrivals);
  });
  first_gate_.push_back(static_cast<Gate>(gates_.size()));
}

void Replay::read_step(const collectives::Step& step, std::uint64_t iteration, std::uint64_t first,
                       const ArrivalTable& arrivals) {
  for (std::uint64_t i = 0; i < step.size(); ++i) {
    const auto transfer = step.at(i, iteration);
    scratch_.clear();
    arrivals.gates(transfer.source, transfer.first_chunk,
                   transfer.first_chunk + transfer.chunk_count, scratch_);
    pending_[first + i] = static_cast<std::uint32_t>(scratch_.size());
    for (const Gate gate : scratch_) wait(gate, static_cast<std::uint32_t>(first + i));
  }
}

void Replay::write_step(const collectives::Step& step, std::uint64_t iteration,
                        ArrivalTable& arrivals) {
  for (std::uint64_t i = 0; i < step.size(); ++i) {
    const auto transfer = step.at(i, iteration);
    first_gate_.push_back(static_cast<Gate>(gates_.size()));
    arrivals.arrive(transfer.destination, transfer.first_chunk,
                    transfer.first_chunk + transfer.chunk_count, [&](Gate previous) {
                      const auto gate = static_cast<Gate>(gates_.size());
                      assert(gate < kIsGate);
                      gates_.push_back({kEnd, previous == kNoGate ? 1u : 2u});
                      if (previous != kNoGate) wait(previous, gate | kIsGate);
                      return gate;
                    });
  }
}

void Replay::wait(Gate gate, std::uint32_t waiter) {
  waiting_.push_back({waiter, gates_[gate].first_waiting});
  gates_[gate].first_waiting = static_cast<std::uint32_t>(waiting_.size() - 1);
}

void Replay::start(std::vector<Number>& ready) const {
  for (Number number = 0; number < size(); ++number)
    if (free_ || pending_[number] == 0) ready.push_back(number);
}

void Replay::complete(Number number, std::vector<Number>& ready) {
  assert(remaining_ > 0);
  --remaining_;
  if (free_) return;
  const auto begin = static_cast<std::ptrdiff_t>(ready.size());
  for (Gate gate = first_gate_[number]; gate < first_gate_[number + 1]; ++gate) open(gate, ready);
  std::sort(ready.begin() + begin, ready.end());
}

void Replay::open(Gate gate, std::vector<Number>& ready) {
  scratch_.assign(1, gate);
  while (!scratch_.empty()) {
    auto& state = gates_[scratch_.back()];
    scratch_.pop_back();
    if (--state.closed_by > 0) continue;
    for (std::uint32_t at = state.first_waiting; at != kEnd; at = waiting_[at].next) {
      const std::uint32_t waiter = waiting_[at].waiter;
      if ((waiter & kIsGate) != 0)
        scratch_.push_back(waiter & ~kIsGate);
      else if (--pending_[waiter] == 0)
        ready.push_back(waiter);
    }
  }
}

}  // namespace railyard::sim
