#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "collectives/nccl/graph/graph.hpp"
#include "collectives/nccl/tuning/tuning_constants.hpp"
#include "collectives/nccl/tuning/tuning_entry.hpp"
#include "collectives/nccl/tuning/tuning_names.hpp"
#include "collectives/nccl/tuning/tuning_settings.hpp"

/// NCCL's tuning model: its time estimates of all algorithms and protocols on a communicator. NCCL
/// chooses the smallest (NCCL 2.30 src/graph/tuning.cc; docs/models/nccl_tuning.md):
///
///     estimate = latency(algorithm, protocol) + S / bandwidth(algorithm, protocol)    [us]
///     Ring, one node:  bandwidth = c * intra * n / (2(n-1)) * efficiency(protocol) (all_reduce)
///                      latency   = base + 2(n-1) * hw(NVLink or PCIe)
///
/// with c channels of `intra` GB/s each, as found by NCCL's search. The model uses the graphs and
/// the NIC rate; it ignores oversubscription and hash collisions.
///
/// Example: 8 H100 by NVLink, c = 16 channels of 20 GB/s, Simple: 320 GB/s of bus, so that an
/// all_reduce of 1 GB is estimated at 1e9 * 14/8 / 320e3 = 5469 us plus its latency.
namespace railyard::collectives::nccl {

/// The tuning table of a communicator, and the inputs of the choice.
struct TuningModel {
  Communicator communicator;
  const TuningConstants* constants = nullptr;
  TuningSettings settings;
  PerKind<PerAlgorithm<PerProtocol<TuningEntry>>> entries;
  PerAlgorithm<PerProtocol<int>> threads{};             ///< largest number of threads per block
  PerAlgorithm<PerProtocol<std::int64_t>> threshold{};  ///< bytes per thread and channel

  /// Requires is_tuned(kind).
  [[nodiscard]] const TuningEntry& entry(Kind kind, TuningAlgorithm algorithm,
                                         Protocol protocol) const {
    return entries[index_of(kind)][index_of(algorithm)][index_of(protocol)];
  }
};

/// Computes the table. A communicator of several ranks must have a ring graph.
[[nodiscard]] TuningModel make_tuning_model(Communicator communicator, Version version,
                                            TuningSettings settings = {});

/// The graph of an algorithm; nullptr if the search found none. NVLSTree uses the graph of NVLS,
/// PAT that of Tree.
[[nodiscard]] const Graph* graph_of(const Communicator& communicator, TuningAlgorithm algorithm);

}  // namespace railyard::collectives::nccl
