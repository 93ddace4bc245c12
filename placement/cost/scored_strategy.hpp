#pragma once

#include <string>

#include "placement/cost/step.hpp"

namespace railyard::placement {

/// A strategy with its predicted time and memory.
struct ScoredStrategy {
  Strategy strategy{};
  StepCost step{};
  MemoryParts memory{};
  bool fits = false;
  int fullest = 0;  ///< type of the GPU to which `memory` belongs
  /// Per type: computation of its slowest stage in a step, by formula. Empty for a single type,
  /// where step.compute has it.
  std::vector<Time> computing{};

  [[nodiscard]] double tokens_per_s(const Job& job) const {
    return static_cast<double>(job.batch) * job.sequence / step.total.seconds();
  }
};

/// Model FLOPs per second and GPU (docs/models/job.md).
[[nodiscard]] double flops_per_gpu(const Job& job, const ScoredStrategy& scored);
/// Model FLOPs utilisation: model FLOPs per second / nominal rate of all used GPUs in the job's
/// precision.
[[nodiscard]] double mfu(const CostContext& context, const ScoredStrategy& scored);

/// Time and memory of one strategy. Requires is_valid(strategy).
[[nodiscard]] ScoredStrategy score(const CostContext& context, const Strategy& strategy);
/// The same with precomputed group shapes and costs of the model's parts.
[[nodiscard]] ScoredStrategy score(const CostContext& context, const Strategy& strategy,
                                   const ByType<GroupShapes>& shapes,
                                   const ByType<BlockCosts>& blocks);

/// The largest part of the step with its share: "compute (61 %)", "host launching kernels (40 %)",
/// ... If the strategy does not fit: the missing memory, and a change that would make it fit.
[[nodiscard]] std::string bound_by(const CostContext& context, const ScoredStrategy& scored);

/// Why `loser` takes longer than `winner`, for the user: the difference, up to two parts that grew
/// most, and the part that shrank most.
[[nodiscard]] std::string why_slower(const ScoredStrategy& winner, const ScoredStrategy& loser);

}  // namespace railyard::placement
