#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "collectives/nccl/graph/graph.hpp"
#include "collectives/nccl/tuning/tuning_constants.hpp"
#include "collectives/nccl/tuning/tuning_entry.hpp"
#include "collectives/nccl/tuning/tuning_names.hpp"
#include "collectives/nccl/tuning/tuning_settings.hpp"

/// NCCL's tuning model: what it believes that every algorithm and protocol costs on a communicator,
/// from which it chooses (NCCL 2.30 src/graph/tuning.cc; docs/models/nccl_tuning.md). It knows the
/// searched graphs, and of the fabric nothing but the speed of the NICs.
namespace railyard::collectives::nccl {

/// The table of a communicator, with what the choice needs beside it.
struct TuningModel {
  Communicator communicator;
  const TuningConstants* constants = nullptr;
  TuningSettings settings;
  PerKind<PerAlgorithm<PerProtocol<TuningEntry>>> entries;
  PerAlgorithm<PerProtocol<int>> threads{};             ///< most, of a block
  PerAlgorithm<PerProtocol<std::int64_t>> threshold{};  ///< bytes per thread and channel

  /// Requires is_tuned(kind).
  [[nodiscard]] const TuningEntry& entry(Kind kind, TuningAlgorithm algorithm,
                                         Protocol protocol) const {
    return entries[index_of(kind)][index_of(algorithm)][index_of(protocol)];
  }
};

/// Computes the table. The communicator needs a ring graph where it has more than one rank.
[[nodiscard]] TuningModel make_tuning_model(Communicator communicator, Version version,
                                            TuningSettings settings = {});

/// The graph that an algorithm runs on; nullptr where the search found none. NVLSTree runs on that
/// of NVLS, PAT on that of Tree.
[[nodiscard]] const Graph* graph_of(const Communicator& communicator, TuningAlgorithm algorithm);

}  // namespace railyard::collectives::nccl
