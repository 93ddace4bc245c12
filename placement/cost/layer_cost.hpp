#pragma once

#include "placement/cost/cost_context.hpp"

namespace railyard::placement {

/// Cost of one layer for one micro-batch. Products and collectives follow Megatron-LM: QKV and the
/// first MLP matrix are split by columns, the output projection and the second MLP matrix by rows.
/// Without sequence parallelism an all_reduce follows each pair; with it an all_gather precedes and
/// a reduce_scatter follows. `edge`: with the precisions of edge layers.
[[nodiscard]] LayerCost layer_cost(const TypeContext& context, const Strategy& strategy,
                                   const GroupShapes& shapes, bool with_experts, bool edge = false);

/// The embedding on the first stage.
[[nodiscard]] LayerCost embedding_cost(const TypeContext& context, const Strategy& strategy,
                                       const GroupShapes& shapes);
/// The output head and the loss on the last stage.
[[nodiscard]] LayerCost head_cost(const TypeContext& context, const Strategy& strategy,
                                  const GroupShapes& shapes);

}  // namespace railyard::placement
