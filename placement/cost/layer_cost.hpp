#pragma once

#include "placement/cost/cost_context.hpp"

namespace railyard::placement {

/// One layer of one micro-batch. Products and their collectives follow Megatron: QKV and the first
/// matrix of the MLP are cut by columns, projection and the second by rows; without sequence
/// parallelism an all_reduce after each, with it an all_gather before and a reduce_scatter behind.
/// `edge`: with the precisions of the layers at the edges of the network.
[[nodiscard]] LayerCost layer_cost(const TypeContext& context, const Strategy& strategy,
                                   const GroupShapes& shapes, bool with_experts, bool edge = false);

/// The embedding (forward) of the first stage.
[[nodiscard]] LayerCost embedding_cost(const TypeContext& context, const Strategy& strategy,
                                       const GroupShapes& shapes);
/// The head and the loss of the last stage.
[[nodiscard]] LayerCost head_cost(const TypeContext& context, const Strategy& strategy,
                                  const GroupShapes& shapes);

}  // namespace railyard::placement
