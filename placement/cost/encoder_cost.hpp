#pragma once

#include "placement/cost/cost_context.hpp"

namespace railyard::placement {

/// The strategy inside the encoder: equal tensor parallelism, without the decoder's layer counts.
[[nodiscard]] Strategy encoder_strategy(const Strategy& strategy);

/// Passes of the whole encoder over one micro-batch: stem or embedding, and layers.
[[nodiscard]] LayerCost encoder_cost(const TypeContext& context, const Strategy& strategy,
                                     const GroupShapes& shapes);

/// Bytes that one micro-batch keeps for the backward pass on a rank with the whole encoder; 0 if
/// the encoder is frozen.
[[nodiscard]] double encoder_activations(const Job& job, const Strategy& strategy);
/// Bytes of the encoder's output for one micro-batch on a rank. Every stage with decoder layers
/// keeps it and sends it on.
[[nodiscard]] double encoder_output_bytes(const Job& job, const Strategy& strategy);

}  // namespace railyard::placement
