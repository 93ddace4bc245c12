#pragma once

#include <string>

#include "placement/cost/step.hpp"

namespace railyard::placement {

/// A strategy with what it costs.
struct Scored {
  Strategy strategy{};
  StepCost step{};
  MemoryParts memory{};
  bool fits = false;
  int fullest = 0;  ///< type of the GPU that memory is of
  /// By type what its slowest stage computes in a step, by formula; empty where there is one type:
  /// step.compute.
  std::vector<Time> computing{};

  [[nodiscard]] double tokens_per_s(const Job& job) const {
    return static_cast<double>(job.batch) * job.sequence / step.total.seconds();
  }
};

/// Model operations per second of one GPU (docs/models/job.md).
[[nodiscard]] double flops_per_gpu(const Job& job, const Scored& scored);
/// Model operations per second over the peaks of all GPUs that take part, in the job's precision.
[[nodiscard]] double mfu(const CostContext& context, const Scored& scored);

/// Cost and memory of one strategy, which must be valid.
[[nodiscard]] Scored score(const CostContext& context, const Strategy& strategy);
/// The same where its groups and the parts of the model are known.
[[nodiscard]] Scored score(const CostContext& context, const Strategy& strategy,
                           const ByType<GroupShapes>& shapes, const ByType<Blocks>& blocks);

/// The part that takes most of the step: "compute", "host launching kernels", "tensor-parallel
/// collectives", ..., with its share; or what does not fit and what would.
[[nodiscard]] std::string bound_by(const CostContext& context, const Scored& scored);

/// Why `loser` takes longer than `winner`: by how much, the parts that grew most, and the one that
/// shrank most.
[[nodiscard]] std::string why_slower(const Scored& winner, const Scored& loser);

}  // namespace railyard::placement
