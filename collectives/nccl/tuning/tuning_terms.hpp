#pragma once

#include <string>

#include "collectives/nccl/graph/graph.hpp"
#include "collectives/nccl/tuning/tuning_constants.hpp"
#include "collectives/nccl/tuning/tuning_entry.hpp"
#include "collectives/nccl/tuning/tuning_names.hpp"
#include "collectives/nccl/tuning/tuning_settings.hpp"

/// The terms of one entry of the tuning table.
namespace railyard::collectives::nccl {

/// The inputs of one entry of the table.
struct TuningCase {
  const Communicator& communicator;
  const Graph& graph;
  const TuningConstants& constants;
  const TuningSettings& settings;
  Kind kind = Kind::all_reduce;
  TuningAlgorithm algorithm = TuningAlgorithm::ring;
  Protocol protocol = Protocol::simple;

  [[nodiscard]] bool is(TuningAlgorithm other) const { return algorithm == other; }
  [[nodiscard]] bool gathers() const {
    return kind == Kind::all_gather || kind == Kind::reduce_scatter;
  }
  /// The number of steps of a ring.
  [[nodiscard]] int steps() const {
    if (kind == Kind::all_reduce) return 2 * (communicator.ranks - 1);
    return gathers() ? communicator.ranks - 1 : communicator.ranks;
  }
};

/// 0 for V100 and older, 1 for A100, 2 for H100, 3 for B200: the row of a table.
[[nodiscard]] std::size_t generation(int compute_capability);
/// floor(log2(value)); -1 for 0.
[[nodiscard]] int floor_log2(std::uint64_t value);

/// Message bandwidth (algbw) in GB/s and what limits it; 0 if NCCL does not use the combination.
struct TunedBandwidth {
  float value = 0;
  Limit limit = Limit::intra;
};
[[nodiscard]] TunedBandwidth tuned_bandwidth(const TuningCase& entry);

/// The latency of an entry in us.
[[nodiscard]] float tuned_latency(const TuningCase& entry);

/// The reason why NCCL never uses an algorithm and protocol, at any size, and what would change
/// that; "" if it can. `graph`: nullptr if the search found none.
[[nodiscard]] std::string why_not_tuned(const Communicator& communicator, const Graph* graph,
                                        const TuningConstants& constants,
                                        const TuningSettings& settings, Kind kind,
                                        TuningAlgorithm algorithm, Protocol protocol);

/// The reason why NCCL skips an entry of its table (NCCL 2.30 src/enqueue.cc, updateCollCostTable):
/// more GPUs per node than its kernels support; "" if it does not.
[[nodiscard]] std::string why_not_taken(const Communicator& communicator, Kind kind,
                                        TuningAlgorithm algorithm);

/// The number of heads of a CollNet or NVLS graph: GPUs that communicate with other nodes.
[[nodiscard]] int heads_of(const Graph& graph);

}  // namespace railyard::collectives::nccl
