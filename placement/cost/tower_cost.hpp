#pragma once

#include "placement/cost/cost_context.hpp"

namespace railyard::placement {

/// The strategy inside a tower: equal tensor parallelism, no context or expert parallelism. Whole
/// inputs are distributed over context-parallel ranks.
[[nodiscard]] Strategy tower_strategy(const Strategy& strategy);
/// Inputs (pictures) of one micro-batch on one rank, on average.
[[nodiscard]] double tower_inputs(const TowerSpec& tower, const Strategy& strategy);

/// Passes of all towers over one micro-batch: patch embedding and layers. A frozen tower has no
/// backward pass.
[[nodiscard]] LayerCost tower_cost(const TypeContext& context, const Strategy& strategy,
                                   const GroupShapes& shapes);
/// Passes of all projectors.
[[nodiscard]] LayerCost projector_cost(const TypeContext& context, const Strategy& strategy,
                                       const GroupShapes& shapes);

/// Bytes that one micro-batch keeps for the backward pass on a rank with all towers and projectors:
/// layers of trained towers; inputs and inner tensors of projectors.
[[nodiscard]] double tower_activations(const Job& job, const Strategy& strategy);
[[nodiscard]] double projector_activations(const Job& job, const Strategy& strategy);

}  // namespace railyard::placement
