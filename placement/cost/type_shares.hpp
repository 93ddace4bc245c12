#pragma once

#include <vector>

#include "core/units.hpp"
#include "placement/cost/step.hpp"

namespace railyard::placement {

/// Neighbouring stages of a class of pipelines on GPUs of one type.
struct TypeShare {
  int type = 0;
  int pipeline = 0;  ///< number of the class
  int replicas = 0;  ///< replicas of the class
  int fewer = 0;     ///< replicas of the class with one micro-batch less
  int micro_batches = 0;
  int first_stage = 0, last_stage = 0;
  int gpus = 0;               ///< GPUs of all replicas
  std::vector<int> layers{};  ///< by stage
  Time pass{};                ///< forward and backward pass of the slowest stage
  Bytes memory{};             ///< memory of the fullest stage
};

/// The shares of the GPU types in a strategy, ordered by class of pipelines, then by stage.
[[nodiscard]] std::vector<TypeShare> type_shares(const CostContext& context,
                                                 const Strategy& strategy);

}  // namespace railyard::placement
