#pragma once

#include "core/units.hpp"
#include "placement/cost/cost_context.hpp"
#include "placement/model/job.hpp"
#include "placement/strategy/strategy.hpp"

namespace railyard::placement {

/// Contents of a GPU's memory.
struct MemoryParts {
  Bytes weights{};
  Bytes gradients{};
  Bytes optimizer{};
  Bytes activations{};
  Bytes buffers{};   ///< logits, a recomputed or gathered layer, buckets of collectives
  Bytes reserved{};  ///< CUDA context and libraries, from the GPU's config
  [[nodiscard]] Bytes total() const {
    return weights + gradients + optimizer + activations + buffers + reserved;
  }
};

/// Parameters on one rank of a pipeline stage, by the ranks that shard their optimizer state.
struct StageParameters {
  double dense = 0;    ///< replicated over dp x cp
  double experts = 0;  ///< replicated over expert_replicas
  double frozen = 0;   ///< weights only: towers or an encoder that are not trained
};
[[nodiscard]] StageParameters stage_parameters(const Job& job, const Strategy& strategy, int stage);
/// Parameters that pipeline rank `rank` holds: those of its stage; with dualpipe also those of
/// stage pp - 1 - rank.
[[nodiscard]] StageParameters rank_parameters(const Job& job, const Strategy& strategy, int rank);
/// Bytes per parameter in which a rank's weights are gathered. 16-bit (or 32-bit) weights; with
/// narrow_weights, layers' weights have the precision of their products, while embedding and head
/// stay 16-bit.
struct GatheredWeight {
  double dense = 2, experts = 2;
};
[[nodiscard]] GatheredWeight gathered_weight(const Job& job, const Strategy& strategy, int rank);
/// Parameters whose optimizer state a rank holds and updates: with ZeRO its shard. With dualpipe
/// two ranks hold each stage and share its state.
[[nodiscard]] double updated_parameters(const StageParameters& held, const Strategy& strategy);

/// Properties of a GPU on which the memory of a rank depends.
struct MemoryTraits {
  Bytes reserved{};  ///< CUDA context and libraries
  /// Matrix units read 8-bit operands with one scale per tensor in either layout (data centre
  /// Blackwell). Other GPUs need a transposed copy.
  bool reads_columns = false;
};
[[nodiscard]] MemoryTraits memory_traits(const Processor& gpu);

/// Memory of a rank of `stage`. Bytes per parameter: 2 weight, 2 or 4 gradient, 12 optimizer (fp32
/// master copy and two moments; 8 with bf16 moments, or with 4-byte weights, which need no copy).
/// ZeRO divides optimizer (1), gradients (2) and weights (3) by the ranks that share one copy; for
/// experts by the ranks that share a copy of theirs. Offloaded parts are omitted. `micro_batches`:
/// of the rank's replica in a step; 0: an equal share of the batch.
[[nodiscard]] MemoryParts stage_memory(const Job& job, const Strategy& strategy, int stage,
                                       const MemoryTraits& gpu, int micro_batches = 0);

/// Memory of the stage with the most, for a pipeline on one type of GPU.
[[nodiscard]] MemoryParts peak_memory(const Job& job, const Strategy& strategy,
                                      const MemoryTraits& gpu, int micro_batches = 0);

/// The GPU with the largest used fraction of its memory, and whether every GPU has enough.
struct FullestGpu {
  MemoryParts memory{};
  int type = 0;
  bool fits = false;
};
[[nodiscard]] FullestGpu fullest_gpu(const CostContext& context, const Strategy& strategy);

}  // namespace railyard::placement
