#include <algorithm>

#include "placement/cost/pipeline.hpp"

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

/// What the ranks' passes take, and the schedule's hops.
class Formula {
 public:
  Formula(const Pipeline& p, std::span<const ChunkTimes> ranks) : p_(p), ranks_(ranks) {
    for (const ChunkTimes& rank : ranks) {
      forward_.add(rank.forward);
      backward_.add(rank.backward);
      both_.add(rank.forward + rank.backward);
      weight_.add(rank.weight);
    }
  }

  [[nodiscard]] Time total() const {
    const int m = p_.micro_batches;
    switch (p_.schedule) {
      case PipelineSchedule::gpipe:
        return forward_.most * m + forward_.others() + backward_.most * m + backward_.others() +
               ramp() + (p_.hop_blocks ? p_.hop * (2 * (m - 1)) : Time());
      case PipelineSchedule::zero_bubble: {
        const Time bubble = std::max(Time(), both_.others() - weight_.others() * 2);
        if (p_.hop_blocks) return both_.most * m + blocking() + bubble;
        // Gradients of weights fill up to their own time of a wait.
        return std::max(one_by_one(true), std::min(one_by_one(), both_.most * m + ramp() * 2)) +
               bubble;
      }
      case PipelineSchedule::dualpipe: {
        const Time each = backward_.most * 2 + forward_.most - weight_.most * 3;
        const Time bubble = std::max(Time(), each) * std::max(0, p_.ranks / 2 - 1);
        return (p_.hop_blocks ? both_.most * m + blocking() : one_by_one()) + bubble;
      }
      case PipelineSchedule::one_f_one_b:
      case PipelineSchedule::interleaved: break;
    }
    const Time bubble = divided(both_.others(), p_.interleave);
    if (p_.hop_blocks) return both_.most * m + blocking() + bubble;
    return (p_.interleave > 1 ? chunk_by_chunk() : one_by_one()) + bubble;
  }

 private:
  /// Down and up once.
  [[nodiscard]] Time ramp() const { return p_.hop * (2 * (p_.ranks - 1)); }

  /// Hops that hold their ranks: a rank of one chunk sends once each way for a micro-batch (of two
  /// ranks each only one way), of more chunks one of the 2v hops is hidden.
  [[nodiscard]] Time blocking() const {
    const int m = p_.micro_batches, v = p_.interleave;
    if (v > 1) return p_.hop * ((2 * v - 1) * m + 2 * p_.ranks - 3);
    return ramp() + p_.hop * ((p_.ranks == 2 ? 1 : 2) * (m - 1));
  }

  /// Steady state of one chunk a rank, where hops hold nobody: the d last ranks have d
  /// micro-batches under way, so that the first of them waits for its micro-batch d further to have
  /// been down to the end and back.
  [[nodiscard]] Time one_by_one(bool split = false) const {
    Time period = both_.most, last;
    int d = 0;
    for (auto rank = ranks_.rbegin(); p_.hop > Time() && rank != ranks_.rend(); ++rank) {
      last += rank->forward + rank->backward - (split ? rank->weight : Time());
      period = std::max(period, divided(last + p_.hop * (2 * d), d + 1));
      ++d;
    }
    return period * p_.micro_batches + p_.hop * (2 * std::max(0, p_.ranks - 2));
  }

  /// Of several chunks a rank has enough micro-batches under way to hide hops; the first and the
  /// last pass through all chunks. Messages follow each other.
  [[nodiscard]] Time chunk_by_chunk() const {
    const int v = p_.interleave;
    return std::max(both_.most, p_.hop * v) * p_.micro_batches + p_.hop * (2 * (p_.ranks * v - 1));
  }

  const Pipeline& p_;
  std::span<const ChunkTimes> ranks_;
  Spread forward_{}, backward_{}, both_{}, weight_{};
};

}  // namespace

Time pipeline_time(const Pipeline& p, std::span<const ChunkTimes> ranks) {
  Pipeline without_hops = p;
  if (p.ranks == 1) without_hops.hop = Time();
  return Formula(without_hops, ranks).total();
}

}  // namespace railyard::placement
