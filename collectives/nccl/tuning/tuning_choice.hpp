#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "collectives/nccl/tuning/tuning_model.hpp"
#include "collectives/schedule/collective.hpp"

namespace railyard::collectives::nccl {

/// A collective that is asked of a communicator.
struct TuningQuery {
  Kind kind = Kind::all_reduce;
  std::int64_t bytes = 0;  ///< nccl-tests' size, which is the one that NCCL tunes by
  DataType type = DataType::float32;
  ReduceOp op = ReduceOp::sum;
  int aggregated = 1;  ///< collectives of one group that NCCL launches together
};

/// NCCL's choice for one query.
struct TuningChoice {
  TuningAlgorithm algorithm = TuningAlgorithm::ring;
  Protocol protocol = Protocol::simple;
  float time_us = 0;  ///< NCCL's own estimate (ncclGroupSimulateEnd gives the same)
  int channels = 0;
  int threads = 0;  ///< of a block, per channel
};

/// NCCL's estimate in us: latency + bytes / bandwidth, with its corrections; negative where its
/// table has no entry. Requires is_tuned(query.kind).
[[nodiscard]] float estimated_time(const TuningModel& model, const TuningQuery& query,
                                   TuningAlgorithm algorithm, Protocol protocol);

/// The latency part of that (the plateau of rings in it), us.
[[nodiscard]] float estimated_latency(const TuningModel& model, const TuningQuery& query,
                                      TuningAlgorithm algorithm, Protocol protocol);

/// Why NVLS cannot reduce these: the switch adds and compares, not all types. "" where it can.
[[nodiscard]] std::string_view why_not_reduced(const TuningQuery& query, TuningAlgorithm algorithm);

/// The fastest by NCCL's estimate, the first of equals in its order (2.32: the last); nothing where
/// none is left.
[[nodiscard]] std::optional<TuningChoice> choose(const TuningModel& model,
                                                 const TuningQuery& query);

/// Channels and threads that a collective gets: fewer where there is little for a thread to do.
struct LaunchSize {
  int channels = 0;
  int threads = 0;
};
[[nodiscard]] LaunchSize launch_size(const TuningModel& model, std::int64_t bytes,
                                     TuningAlgorithm algorithm, Protocol protocol);

}  // namespace railyard::collectives::nccl
