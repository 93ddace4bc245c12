#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "collectives/nccl/tuning/tuning_model.hpp"
#include "collectives/schedule/collective.hpp"

namespace railyard::collectives::nccl {

/// A collective on a communicator.
struct TuningQuery {
  Kind kind = Kind::all_reduce;
  std::int64_t bytes = 0;  ///< as in nccl-tests, which is also the size in NCCL's tuning model
  DataType type = DataType::float32;
  ReduceOp op = ReduceOp::sum;
  int aggregated = 1;  ///< collectives of one group that NCCL launches together
};

/// NCCL's choice for one query.
struct TuningChoice {
  TuningAlgorithm algorithm = TuningAlgorithm::ring;
  Protocol protocol = Protocol::simple;
  float time_us = 0;  ///< NCCL's own estimate, as from ncclGroupSimulateEnd
  int channels = 0;
  int threads = 0;  ///< threads of the block of a channel
};

/// NCCL's estimate in us: latency + bytes / bandwidth, with its corrections; negative if its table
/// has no entry. Requires is_tuned(query.kind).
[[nodiscard]] float estimated_time(const TuningModel& model, const TuningQuery& query,
                                   TuningAlgorithm algorithm, Protocol protocol);

/// The latency term of the estimate in us, including the plateau of rings.
[[nodiscard]] float estimated_latency(const TuningModel& model, const TuningQuery& query,
                                      TuningAlgorithm algorithm, Protocol protocol);

/// The reason why NVLS cannot reduce this data type or operation in the switch; "" if it can.
[[nodiscard]] std::string_view why_not_reduced(const TuningQuery& query, TuningAlgorithm algorithm);

/// The fastest combination by NCCL's estimate; among equals the first in NCCL's order (2.32: the
/// last). Nothing if all are excluded.
[[nodiscard]] std::optional<TuningChoice> choose(const TuningModel& model,
                                                 const TuningQuery& query);

/// Channels and threads of a collective. Small sizes use fewer.
struct LaunchSize {
  int channels = 0;
  int threads = 0;
};
[[nodiscard]] LaunchSize launch_size(const TuningModel& model, std::int64_t bytes,
                                     TuningAlgorithm algorithm, Protocol protocol);

}  // namespace railyard::collectives::nccl
