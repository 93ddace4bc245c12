#pragma once

#include <vector>

#include "placement/cost/pipeline.hpp"

namespace railyard::placement {

/// Timeline of one rank's collectives over replicas: delays its passes, and records the
/// collectives.
class ReplicaTimeline {
 public:
  /// Appends collectives to `log`. Both arguments must outlive it.
  ReplicaTimeline(const ReplicaStream& stream, int rank, std::vector<ReplicaCollectiveSpan>& log)
      : stream_(stream), rank_(rank), log_(log) {}

  /// Queues the all_gather of a chunk's weights for its first pass, after those queued before.
  void gather_first(int chunk);
  /// Position of a pass among the passes of its chunk in a step.
  enum class Turn { between, first, last };
  /// End of a pass that starts at `begin` and takes `work` without collectives.
  [[nodiscard]] Time pass(int chunk, char kind, bool split, Turn turn, Time begin, Time work);
  /// End of the last queued collective.
  [[nodiscard]] Time done() const { return busy_; }

 private:
  [[nodiscard]] Time compute(const ChunkReplicas& chunk, Time begin, Time work) const;
  Time queue(int chunk, bool weights, Time at, Time time);
  Time wait_for_weights(int chunk, Time begin, Time work);
  Time sharded(int chunk, bool gathers, Time reduce, Time begin, Time work);

  const ReplicaStream& stream_;
  int rank_;
  std::vector<ReplicaCollectiveSpan>& log_;
  Time busy_{};                                ///< end of the last queued collective
  std::vector<std::pair<int, Time>> first_{};  ///< chunks, and the start of their gathers
};

}  // namespace railyard::placement
