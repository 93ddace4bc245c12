#include "placement/cost/replica_stream.hpp"

#include <algorithm>

namespace railyard::placement {
namespace {

/// The i-th of n parts of a time; they add up exactly.
Time part(Time whole, int i, int n) {
  const auto until = [&](int k) { return whole.picoseconds() * k / n; };
  return Time::picoseconds(until(i + 1) - until(i));
}

}  // namespace

/// A pass runs slower by `share` while the stream is busy.
Time ReplicaTimeline::compute(const ChunkReplicas& chunk, Time begin, Time work) const {
  if (busy_ <= begin || chunk.share <= 0) return begin + work;
  const double speed = 1 - chunk.share;
  const Time beside = Time::from_seconds((busy_ - begin).seconds() * speed);
  if (beside >= work) return begin + Time::from_seconds(work.seconds() / speed);
  return busy_ + (work - beside);
}

Time ReplicaTimeline::queue(int chunk, bool weights, Time at, Time time) {
  if (time <= Time()) return at;
  const Time begin = std::max(at, busy_);
  busy_ = begin + time;
  const bool goes_on = !log_.empty() && log_.back().rank == rank_ && log_.back().chunk == chunk &&
                       log_.back().weights == weights && log_.back().end == begin;
  if (goes_on)
    log_.back().end = busy_;
  else
    log_.push_back({rank_, chunk, weights, begin, busy_});
  return busy_;
}

void ReplicaTimeline::gather_first(int chunk) {
  first_.emplace_back(chunk, busy_);
  queue(chunk, true, Time(), stream_.chunks[static_cast<std::size_t>(chunk)].gather);
}

Time ReplicaTimeline::wait_for_weights(int chunk, Time begin, Time work) {
  const ChunkReplicas& replicas = stream_.chunks[static_cast<std::size_t>(chunk)];
  const auto found = std::ranges::find(first_, chunk, &std::pair<int, Time>::first);
  if (found == first_.end()) return compute(replicas, begin, work);
  Time at = begin, there = found->second;
  for (int i = 0; i < replicas.buckets; ++i) {
    there += part(replicas.gather, i, replicas.buckets);
    at = compute(replicas, std::max(at, there), part(work, i, replicas.buckets));
  }
  return at;
}

Time ReplicaTimeline::sharded(int chunk, bool gathers, Time reduce, Time begin, Time work) {
  const ChunkReplicas& replicas = stream_.chunks[static_cast<std::size_t>(chunk)];
  const int n = replicas.buckets;
  const auto gather = [&](int i, Time at) {
    return gathers && i < n ? queue(chunk, true, at, part(replicas.gather, i, n)) : at;
  };
  Time at = begin, there = gather(0, begin);
  for (int i = 0; i < n; ++i) {
    at = std::max(at, there);
    there = gather(i + 1, at);
    at = compute(replicas, at, part(work, i, n));
    queue(chunk, false, at, part(reduce, i, n));
  }
  return at;
}

Time ReplicaTimeline::pass(int chunk, char kind, bool split, Turn turn, Time begin, Time work) {
  if (stream_.chunks.empty()) return begin + work;
  const ChunkReplicas& replicas = stream_.chunks[static_cast<std::size_t>(chunk)];
  const bool gathers = kind != 'W';
  if (stream_.every_pass) {
    Time reduce = kind == 'W' || (kind == 'B' && !split) ? replicas.reduce : Time();
    if (turn == Turn::last) reduce += replicas.copies;
    if (stream_.overlaps) return sharded(chunk, gathers, reduce, begin, work);
    const Time there = gathers ? queue(chunk, true, begin, replicas.gather) : begin;
    return queue(chunk, false, there + work, reduce);
  }
  if (!stream_.overlaps) return begin + work;
  if (turn == Turn::first) return wait_for_weights(chunk, begin, work);
  if (turn == Turn::last) return sharded(chunk, false, replicas.reduce, begin, work);
  return compute(replicas, begin, work);
}

}  // namespace railyard::placement
