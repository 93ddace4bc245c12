#pragma once

#include "placement/cost/cost_context.hpp"

namespace railyard::placement {

/// The strategy in it: the same tensor parallelism, no given layers.
[[nodiscard]] Strategy encoder_strategy(const Strategy& strategy);

/// Passes over one micro-batch: stem or embedding, and the layers.
[[nodiscard]] LayerCost encoder_cost(const TypeContext& context, const Strategy& strategy,
                                     const GroupShapes& shapes);

/// Bytes that a micro-batch leaves for the backward pass on a rank with the whole encoder; 0 where
/// it is frozen.
[[nodiscard]] double encoder_activations(const Job& job, const Strategy& strategy);
/// Its output of one micro-batch on a rank, which every stage with decoder layers keeps and hands
/// on.
[[nodiscard]] double encoder_output_bytes(const Job& job, const Strategy& strategy);

}  // namespace railyard::placement
