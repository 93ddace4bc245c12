#pragma once

#include "core/units.hpp"
#include "placement/cost/cost_context.hpp"
#include "placement/model/job.hpp"
#include "placement/strategy/strategy.hpp"

namespace railyard::placement {

/// What a GPU's memory holds.
struct MemoryParts {
  Bytes weights{};
  Bytes gradients{};
  Bytes optimizer{};
  Bytes activations{};
  Bytes buffers{};   ///< logits, a recomputed or gathered layer, buckets of collectives
  Bytes reserved{};  ///< what the GPU's config says that contexts and libraries take
  [[nodiscard]] Bytes total() const {
    return weights + gradients + optimizer + activations + buffers + reserved;
  }
};

/// Parameters that one rank of a pipeline stage computes with, by what shards their optimizer.
struct StageParameters {
  double dense = 0;    ///< replicated over dp x cp
  double experts = 0;  ///< replicated over expert_replicas
  double frozen = 0;   ///< weights alone, of towers that are not trained
};
[[nodiscard]] StageParameters stage_parameters(const Job& job, const Strategy& strategy, int stage);
/// Parameters that pipeline rank `rank` holds: those of its stage, and with dualpipe those of the
/// stage that is as far from the other end.
[[nodiscard]] StageParameters rank_parameters(const Job& job, const Strategy& strategy, int rank);
/// Bytes in which a rank's weights are gathered: of the dense ones and of experts, per parameter.
/// 16-bit, or with narrow_weights as the products of layers read them; ends of the network are
/// 16-bit.
struct GatheredWeight {
  double dense = 2, experts = 2;
};
[[nodiscard]] GatheredWeight gathered_weight(const Job& job, const Strategy& strategy, int rank);
/// Of a rank's parameters those whose optimizer state it holds and updates: its shard with ZeRO.
/// With dualpipe two ranks hold a stage, which share its state too.
[[nodiscard]] double updated_parameters(const StageParameters& held, const Strategy& strategy);

/// What the memory of a rank depends on of its GPU.
struct MemoryTraits {
  Bytes reserved{};
  /// Products read 8-bit operands with one scale per tensor along either dimension: Blackwell's
  /// data centre GPUs. Others need a transposed copy.
  bool reads_columns = false;
};
[[nodiscard]] MemoryTraits memory_traits(const Processor& gpu);

/// Memory of a rank of `stage`. Per parameter: 2 weight, 2 or 4 gradient, 12 optimizer (master copy
/// and two moments in fp32; 8 with moments in bf16, or with 4-byte weights and no copy). ZeRO
/// divides optimizer (1), gradients (2) and weights (3) by the ranks of the shard group, those of
/// experts by the ranks that share a copy of theirs; offloading moves them out. `micro_batches`: of
/// the rank's replica in a step; 0: an equal share of the batch.
[[nodiscard]] MemoryParts stage_memory(const Job& job, const Strategy& strategy, int stage,
                                       const MemoryTraits& gpu, int micro_batches = 0);

/// Memory of the fullest stage of a pipeline on one type of GPU.
[[nodiscard]] MemoryParts peak_memory(const Job& job, const Strategy& strategy,
                                      const MemoryTraits& gpu, int micro_batches = 0);

/// What is on the GPU that is filled most for its size, its type, and whether all GPUs have room.
struct FullestGpu {
  MemoryParts memory{};
  int type = 0;
  bool fits = false;
};
[[nodiscard]] FullestGpu fullest_gpu(const CostContext& context, const Strategy& strategy);

}  // namespace railyard::placement
