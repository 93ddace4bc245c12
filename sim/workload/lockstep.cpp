#include "sim/workload/lockstep.hpp"

#include <algorithm>

namespace railyard::sim {

using collectives::Operation;
using collectives::OperationKind;

namespace {

/// A longer sequence gains little, and is interrupted as a whole if something slows one of its
/// ranks.
constexpr std::uint32_t kMostOperations = 256;
/// A shorter sequence gains nothing.
constexpr std::uint32_t kLeastOperations = 2;

}  // namespace

/// Whether an operation may be part of a sequence: computation, or a collective of the same group,
/// on whose begin no other operation depends.
bool Locksteps::may_follow(const Operation& collective, std::uint32_t operation) const {
  const Operation& its = program_.operations[operation];
  if (its.stream == Operation::kUnordered || !order_.after_begin(operation).empty()) return false;
  if (its.kind == OperationKind::compute) return true;
  return its.kind == OperationKind::collective && its.family == collective.family &&
         its.bytes > Bytes() && its.compute_share <= 0;
}

/// Whether an operation after the sequence waits for the last operation of the sequence, or for one
/// that follows the last on its stream. The times at which the other operations of the sequence end
/// then do not matter.
bool Locksteps::waits_beyond(std::uint32_t operation, std::uint32_t last) const {
  const std::uint16_t stream = program_.operations[last].stream;
  const auto is_beyond = [&](std::uint32_t other) {
    return other == last || (other > last && program_.operations[other].stream == stream);
  };
  return is_beyond(operation) ||
         std::ranges::any_of(program_.dependencies(operation), [&](const auto& dependency) {
           return !dependency.on_begin && is_beyond(dependency.operation);
         });
}

bool Locksteps::ends_with(std::uint32_t collective, std::uint32_t last) const {
  for (std::uint32_t i = collective + 1; i < last; ++i)
    for (const auto& next : order_.after_end(i))
      if (next.operation > last && !waits_beyond(next.operation, last)) return false;
  return true;
}

const Lockstep* Locksteps::behind(std::uint32_t collective) {
  std::uint32_t& known = known_[collective];
  if (known == kNone) return nullptr;
  if (known != kUnknown) return &found_[known];
  known = kNone;
  const Operation& its = program_.operations[collective];
  if (its.stream == Operation::kUnordered) return nullptr;
  const std::uint32_t first = collective + 1;
  const auto most = static_cast<std::uint32_t>(
      std::min<std::size_t>(program_.operations.size(), first + std::size_t{kMostOperations}));
  std::vector<std::uint32_t> waits(most - first, 0);
  const auto note = [&](std::uint32_t operation) {
    for (const auto& next : order_.after_end(operation))
      if (next.operation > operation && next.operation < most) ++waits[next.operation - first];
  };
  note(collective);
  std::uint32_t end = first;
  for (; end < most && may_follow(its, end) && waits[end - first] > 0; ++end) note(end);
  // All successors of the initial collective must be in the sequence, or wait for its last
  // operation.
  for (std::uint32_t last = end; last-- > first + kLeastOperations - 1;) {
    if (program_.operations[last].kind != OperationKind::compute || !ends_with(collective, last))
      continue;
    waits.resize(last - first + 1);
    known = static_cast<std::uint32_t>(found_.size());
    found_.push_back({.first = first, .last = last, .waits = std::move(waits)});
    return &found_.back();
  }
  return nullptr;
}

bool Locksteps::run(std::uint32_t collective, const Lockstep& its,
                    const std::function<Time(std::uint32_t)>& duration,
                    std::vector<LockstepTime>& times) const {
  times.assign(its.count(), {});
  const auto release = [&](std::uint32_t operation, Time end) {
    for (const auto& [next, by_stream] : order_.after_end(operation)) {
      if (!its.has(next)) continue;
      LockstepTime& time = times[next - its.first];
      if (end < time.begin) continue;
      time = {.begin = end, .end = end, .behind = operation, .by_stream = by_stream};
    }
  };
  release(collective, Time());
  Time latest;
  for (std::uint32_t i = its.first; i <= its.last; ++i) {
    LockstepTime& time = times[i - its.first];
    time.end = time.begin + duration(i);
    latest = std::max(latest, time.end);
    release(i, time.end);
  }
  return times.back().end == latest;
}

}  // namespace railyard::sim
