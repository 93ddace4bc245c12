#include <algorithm>

#include "placement/pipeline.hpp"

namespace railyard::placement {
namespace {

/// Sum over ranks and the largest.
struct Spread {
  Time sum{}, most{};
  void add(Time t) {
    sum += t;
    most = std::max(most, t);
  }
  [[nodiscard]] Time others() const { return sum - most; }
};

Time divided(Time time, int by) { return Time::picoseconds(time.picoseconds() / by); }

}  // namespace

Time pipeline_time(const Pipeline& p, std::span<const ChunkTimes> ranks) {
  const int m = p.micro_batches, v = p.interleave;
  Spread forward, backward, both, saved;
  for (const ChunkTimes& rank : ranks) {
    forward.add(rank.forward);
    backward.add(rank.backward);
    both.add(rank.forward + rank.backward);
    saved.add(rank.weight);
  }
  const Time ramp_hops = p.hop * (2 * (p.ranks - 1));
  const Time steady_hops = p.ranks > 1 && p.hop_blocks ? p.hop * (2 * v * (m - 1)) : Time();
  const Time steady = both.most * m + steady_hops + ramp_hops;
  switch (p.schedule) {
    case PipelineSchedule::gpipe:
      return forward.most * m + forward.others() + backward.most * m + backward.others() +
             ramp_hops + steady_hops;
    case PipelineSchedule::zero_bubble: {
      const Time bubble = both.others() - saved.others() * 2;
      return steady + std::max(Time(), bubble);
    }
    case PipelineSchedule::dualpipe: {
      const Time each = backward.most * 2 + forward.most - saved.most * 3;
      return steady + std::max(Time(), each) * std::max(0, p.ranks / 2 - 1);
    }
    case PipelineSchedule::one_f_one_b:
    case PipelineSchedule::interleaved: break;
  }
  return steady + divided(both.others(), v);
}

}  // namespace railyard::placement
