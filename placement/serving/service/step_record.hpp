#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "placement/serving/step/step_model.hpp"

namespace railyard::placement::serving {

/// A step of a replica at its start, summed over its copies of attention. Replicas of a prefill
/// pool have the first numbers.
struct StepRecord {
  std::size_t replica = 0;
  double begin = 0, end = 0;  ///< seconds
  StepBatch batch{};
  std::size_t waiting = 0;       ///< requests in the engine's queue
  std::size_t running = 0;       ///< admitted requests
  std::int64_t used_blocks = 0;  ///< KV cache blocks in use
};

/// Called with the steps of a run in the order in which they start.
using StepWatch = std::function<void(const StepRecord&)>;

}  // namespace railyard::placement::serving
