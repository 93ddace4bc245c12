#pragma once

#include "placement/cost/cost_context.hpp"

namespace railyard::placement {

/// The strategy in a tower: the same tensor parallelism; inputs are dealt over context ranks whole,
/// so none of it, and no experts.
[[nodiscard]] Strategy tower_strategy(const Strategy& strategy);
/// Inputs of a micro-batch on a rank.
[[nodiscard]] double tower_inputs(const TowerSpec& tower, const Strategy& strategy);

/// Passes of all towers over one micro-batch: the first matrix over patches, and the layers. A
/// frozen one has no backward pass.
[[nodiscard]] LayerCost tower_cost(const TypeContext& context, const Strategy& strategy,
                                   const GroupShapes& shapes);
/// Passes of all projectors.
[[nodiscard]] LayerCost projector_cost(const TypeContext& context, const Strategy& strategy,
                                       const GroupShapes& shapes);

/// Bytes that one micro-batch leaves on a rank with all towers and projectors for the backward
/// pass: of trained towers what layers keep, and the projectors' inputs and inner tensors.
[[nodiscard]] double tower_activations(const Job& job, const Strategy& strategy);
[[nodiscard]] double projector_activations(const Job& job, const Strategy& strategy);

}  // namespace railyard::placement
