#pragma once

#include "placement/cost/layer_cost.hpp"
#include "placement/cost/pipeline.hpp"

namespace railyard::placement {

/// Time of one step outside the passes of micro-batches.
struct ReplicaCost {
  Time exposed{};    ///< collectives of gradients and weights, without the part that overlaps with
                     ///< passes
  Time optimizer{};  ///< the optimizer update, and zeroing and scaling of the gradient buffer
  Time offload{};    ///< transfers to and from the host, without the part that overlaps with
                     ///< passes
};

/// Work of one stage in a step outside its passes, before any overlap.
struct ReplicaWork {
  Time gather{}, reduce{};  ///< all_gather of weights, reduction of gradients: per pass with ZeRO
                            ///< 3, per micro-batch with ZeRO 2 (gradients), otherwise per step
  Time copies{};            ///< ZeRO 2 and 3: sum over copies of the sharded state, once per step
  Time tied{};              ///< all_reduce of a tied embedding's gradients, first and last stage
  Time optimizer{};         ///< the optimizer update, and zeroing and scaling of the gradient
                            ///< buffer
  Time host{};              ///< optimizer state to and from the host, once per step
  Time forward_host{}, backward_host{};  ///< transfers beside each forward and backward pass
  int buckets = 1;                       ///< sequential collectives of gather and reduce: one per
                                         ///< layer
};
/// Work of pipeline rank `stage` in a step. Collectives for G bytes of gradients and W of weights,
/// over the ranks that share one copy of the state:
///   zero 0     all_reduce of G
///   zero 1     reduce_scatter of G, all_gather of W
///   zero 2     per micro-batch reduce_scatter of G; all_gather of W
///   zero 3     per micro-batch all_gather of W twice and reduce_scatter of G
/// With several copies of S shards each, an all_reduce of G / S over the copies follows once per
/// step. DualPipe's ranks hold two stages, so G and W are those of both.
[[nodiscard]] ReplicaWork replica_work(const TypeContext& context, const Strategy& strategy,
                                       const GroupShapes& shapes, int stage);

/// Throws InputError if the GPU's config gives no bandwidth to the host's memory (host_bandwidth).
void require_host_bandwidth(const Processor& gpu);

/// Bytes of memory traffic to update one parameter, the gradient norm included.
[[nodiscard]] double update_bytes(const Job& job);

/// Bytes of memory traffic per parameter for the gradient buffer of a step (ZeRO 0 and 1). It is
/// zeroed before the first micro-batch and, with several replicas, divided by their number
/// (Megatron-Core's param_and_grad_buffer.py: zero_grad_buffer, gradient_scaling_factor). 0 with
/// ZeRO 2 and 3 (see LayerCost::scatter).
[[nodiscard]] double buffer_bytes(const Job& job, const Strategy& strategy);

/// Number of backward passes that overlap with the reduction of a step's gradients (dp_overlap,
/// ZeRO 0 and 1). One without interleaving. With v chunks p·(v-1)/v: those of the last round,
/// because each chunk processes p micro-batches before the next chunk does (docs/models/step.md).
[[nodiscard]] double gradient_passes(const Strategy& strategy, int micro_batches);

/// Times of replica_work that lengthen a step of `micro_batches` micro-batches. `passes`: times of
/// the stage's passes over one micro-batch. With dp_overlap gradients overlap with the last
/// backward pass and weights with the first forward pass, except for one bucket (a layer). The
/// overlapped time lengthens the passes by the factor communication_share.
[[nodiscard]] ReplicaCost replica_cost(const TypeContext& context, const Strategy& strategy,
                                       const GroupShapes& shapes, const ChunkTimes& passes,
                                       int stage, int micro_batches);

}  // namespace railyard::placement
