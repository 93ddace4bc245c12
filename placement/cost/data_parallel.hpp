#pragma once

#include "placement/cost/layer_cost.hpp"
#include "placement/cost/pipeline.hpp"

namespace railyard::placement {

/// What a step does beside its passes.
struct ReplicaCost {
  Time exposed{};    ///< collectives of gradients and weights that no pass hides
  Time optimizer{};  ///< the update, and the passes over the buffer of gradients
  Time offload{};    ///< to and from the host, beyond what passes hide
};

/// What a stage has to do in a step beside computing its passes.
struct ReplicaWork {
  Time gather{}, reduce{};  ///< collectives of its weights and gradients: in each pass with ZeRO 3,
                            ///< and with ZeRO 2 those of gradients
  Time copies{};            ///< with ZeRO 2 and 3: the sum over copies, once a step
  Time tied{};              ///< the sum of a tied head's gradients, between first and last stage
  Time optimizer{};         ///< the update, and the passes over the buffer of gradients
  Time host{};              ///< to and from the host once a step
  Time forward_host{}, backward_host{};  ///< to and from the host beside each pass
  int buckets = 1;                       ///< layers, whose collectives follow one another
};
/// Per step, for G bytes of gradients and W of weights over D replicas:
///   zero 0     all_reduce of G;  zero 1  reduce_scatter of G, all_gather of W
///   zero 2     per micro-batch reduce_scatter of G; all_gather of W
///   zero 3     per micro-batch all_gather of W twice and reduce_scatter of G
/// over the ranks that share a copy; C copies of S shards all_reduce G / S once a step.
/// DualPipe's ranks hold two stages, whose gradients and weights both travel.
[[nodiscard]] ReplicaWork replica_work(const TypeContext& context, const Strategy& strategy,
                                       const GroupShapes& shapes, int stage);

/// Throws InputError where nothing says how fast a GPU reaches its host's memory.
void require_host_bandwidth(const Processor& gpu);

/// Bytes of memory traffic that the update of one parameter takes.
[[nodiscard]] double update_bytes(const Job& job);

/// Bytes of memory traffic per parameter of the buffer in which a step's micro-batches add up their
/// gradients (ZeRO 0 and 1): zeroed before the first and, where replicas sum theirs, divided by
/// their number before that (Megatron-Core's param_and_grad_buffer.py: zero_grad_buffer,
/// gradient_scaling_factor). With ZeRO 2 and 3 there is none (LayerCost::scatter).
[[nodiscard]] double buffer_bytes(const Job& job, const Strategy& strategy);

/// Passes beside which the gradients of a step are reduced (dp_overlap, ZeRO 0 and 1): the last
/// one, and with chunks those of the last round, since each chunk is done as many micro-batches
/// before the next as there are stages (docs/models/step.md).
[[nodiscard]] double gradient_passes(const Strategy& strategy, int micro_batches);

/// replica_work of pipeline rank `stage`, whose passes over one micro-batch take `passes`: with
/// dp_overlap beside the last backward (gradients) and the first forward pass (weights), all but
/// the last bucket (a layer), in a step of so many micro-batches; what is hidden slows the passes
/// by communication_share.
[[nodiscard]] ReplicaCost replica_cost(const TypeContext& context, const Strategy& strategy,
                                       const GroupShapes& shapes, const ChunkTimes& passes,
                                       int stage, int micro_batches);

}  // namespace railyard::placement
