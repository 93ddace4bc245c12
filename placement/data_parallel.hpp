#pragma once

#include "placement/layer_cost.hpp"
#include "placement/pipeline.hpp"

namespace railyard::placement {

/// What a step does beside its passes.
struct ReplicaCost {
  Time exposed{};    ///< collectives of gradients and weights that no pass hides
  Time optimizer{};  ///< the update
  Time offload{};    ///< to and from the host, beyond what passes hide
};

/// Bytes of memory traffic that the update of one parameter takes.
[[nodiscard]] double update_bytes(const Job& job);

/// Passes beside which the gradients of a step are reduced (dp_overlap, not ZeRO 3): the last one,
/// and with chunks those of the last round, since each chunk is done as many micro-batches before
/// the next as there are stages (docs/models/step.md).
[[nodiscard]] double gradient_passes(const Strategy& strategy, int micro_batches);

/// Gradients, weights and optimizer of pipeline rank `stage`, whose passes over one micro-batch
/// take `passes`. Per step, for G bytes of gradients and W of weights over D replicas:
///   zero 0     all_reduce of G;  zero 1, 2  reduce_scatter of G, all_gather of W
///   zero 3     per micro-batch all_gather of W twice and reduce_scatter of G
/// with dp_overlap beside the last backward (gradients) and the first forward pass (weights), all
/// but the last bucket (a layer); what is hidden slows the passes by communication_share. A tied
/// head's gradients are summed between first and last stage.
[[nodiscard]] ReplicaCost replica_cost(const CostContext& context, const Strategy& strategy,
                                       const GroupShapes& shapes, const ChunkTimes& passes,
                                       int stage);

}  // namespace railyard::placement
