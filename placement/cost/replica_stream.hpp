#pragma once

#include <vector>

#include "placement/cost/pipeline.hpp"

namespace railyard::placement {

/// A rank's passes beside its collectives over replicas: when a pass ends, and what ran when.
class RankReplicas {
 public:
  /// `log` gets the collectives. Both must outlive it.
  RankReplicas(const ReplicaStream& stream, int rank, std::vector<ReplicaPass>& log)
      : stream_(stream), rank_(rank), log_(log) {}

  /// Where weights are gathered beside the first pass: those of `chunk`, after those before.
  void gather_first(int chunk);
  /// Passes between which gathers and reductions stand in a step.
  enum class Turn { between, first, last };
  /// End of a pass of `work` by itself that begins at `begin`.
  [[nodiscard]] Time pass(int chunk, char kind, bool split, Turn turn, Time begin, Time work);
  /// End of the last collective.
  [[nodiscard]] Time done() const { return busy_; }

 private:
  [[nodiscard]] Time compute(const ChunkReplicas& chunk, Time begin, Time work) const;
  Time queue(int chunk, bool weights, Time at, Time time);
  Time wait_for_weights(int chunk, Time begin, Time work);
  Time sharded(int chunk, bool gathers, Time reduce, Time begin, Time work);

  const ReplicaStream& stream_;
  int rank_;
  std::vector<ReplicaPass>& log_;
  Time busy_{};                                ///< until then the stream has something to do
  std::vector<std::pair<int, Time>> first_{};  ///< chunks, and when their weights are begun with
};

}  // namespace railyard::placement
