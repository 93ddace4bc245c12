#include <algorithm>

#include "placement/cost/pipeline.hpp"

namespace railyard::placement {
namespace {

/// Sum and maximum over ranks.
struct Spread {
  Time sum{}, most{};
  void add(Time t) {
    sum += t;
    most = std::max(most, t);
  }
  [[nodiscard]] Time others() const { return sum - most; }
};

Time divided(Time time, int by) { return Time::picoseconds(time.picoseconds() / by); }

/// The formulas of pipeline_time (pipeline.hpp).
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
        // With ZB-H1 weight gradients fill waits, up to their own length.
        return std::max(single_chunk_steady(true),
                        std::min(single_chunk_steady(), both_.most * m + ramp() * 2)) +
               bubble;
      }
      case PipelineSchedule::dualpipe: {
        const Time each = backward_.most * 2 + forward_.most - weight_.most * 3;
        const Time bubble = std::max(Time(), each) * std::max(0, p_.ranks / 2 - 1);
        return (p_.hop_blocks ? both_.most * m + blocking() : single_chunk_steady()) + bubble;
      }
      case PipelineSchedule::one_f_one_b:
      case PipelineSchedule::interleaved: break;
    }
    const Time bubble = divided(both_.others(), p_.interleave);
    if (p_.hop_blocks) return both_.most * m + blocking() + bubble;
    return (p_.interleave > 1 ? interleaved_steady() : single_chunk_steady()) + bubble;
  }

 private:
  /// Time of the hops down the pipeline and back up once.
  [[nodiscard]] Time ramp() const { return p_.hop * (2 * (p_.ranks - 1)); }

  /// Blocking hops of a step. With one chunk per rank a rank sends once per direction and
  /// micro-batch (with two ranks only in one direction). With v chunks one of the 2v hops per
  /// micro-batch is hidden.
  [[nodiscard]] Time blocking() const {
    const int m = p_.micro_batches, v = p_.interleave;
    if (v > 1) return p_.hop * ((2 * v - 1) * m + 2 * p_.ranks - 3);
    return ramp() + p_.hop * ((p_.ranks == 2 ? 1 : 2) * (m - 1));
  }

  /// One chunk per rank and hops that do not block. The last d ranks hold d micro-batches, so the
  /// first of these ranks can start another one only when its oldest has gone to the end and come
  /// back. This bounds the time per micro-batch from below.
  [[nodiscard]] Time single_chunk_steady(bool split = false) const {
    Time period = both_.most, last;
    int d = 0;
    for (auto rank = ranks_.rbegin(); p_.hop > Time() && rank != ranks_.rend(); ++rank) {
      last += rank->forward + rank->backward - (split ? rank->weight : Time());
      period = std::max(period, divided(last + p_.hop * (2 * d), d + 1));
      ++d;
    }
    return period * p_.micro_batches + p_.hop * (2 * std::max(0, p_.ranks - 2));
  }

  /// With several chunks, ranks have enough micro-batches in flight to hide hops, except for those
  /// of the first and last micro-batch through all chunks. Messages are sent one after another.
  [[nodiscard]] Time interleaved_steady() const {
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
