#pragma once

#include <cstdint>

#include "placement/cost/layer_cost.hpp"

namespace railyard::placement {

/// A tower's transformer as a model, to be counted with the formulas of layers: every token sees
/// every other, no head, no dropout.
[[nodiscard]] Model tower_model(const TowerSpec& tower);

/// A tower's work in a job: its transformer over sequences of an input each, whose batch counts
/// inputs.
[[nodiscard]] Job tower_job(const Job& job, const TowerSpec& tower);
/// The strategy in a tower: the same tensor parallelism; inputs are dealt over context ranks whole,
/// so none of it, and no experts.
[[nodiscard]] Strategy tower_strategy(const Strategy& strategy);
/// Inputs of a micro-batch on a rank.
[[nodiscard]] double tower_inputs(const TowerSpec& tower, const Strategy& strategy);

/// Parameters of towers and projectors.
struct TowerParameters {
  std::int64_t frozen = 0;     ///< of towers that are not trained
  std::int64_t trained = 0;    ///< of towers that are
  std::int64_t projector = 0;  ///< always trained
  [[nodiscard]] std::int64_t total() const { return frozen + trained + projector; }
};
[[nodiscard]] TowerParameters tower_parameters(const Model& model);

/// Model operations of towers and projectors for a sequence, forward and backward: 3 x forward, a
/// frozen tower's forward alone.
[[nodiscard]] double tower_flops(const Job& job);

/// Passes of all towers over one micro-batch: the first matrix over patches, and the layers. A
/// frozen one has no backward pass.
[[nodiscard]] LayerCost tower_cost(const CostContext& context, const Strategy& strategy,
                                   const GroupShapes& shapes);
/// Passes of all projectors.
[[nodiscard]] LayerCost projector_cost(const CostContext& context, const Strategy& strategy,
                                       const GroupShapes& shapes);

/// Bytes that one micro-batch leaves on a rank with all towers and projectors for the backward
/// pass: of trained towers what layers keep, and the projectors' inputs and inner tensors.
[[nodiscard]] double tower_activations(const Job& job, const Strategy& strategy);
[[nodiscard]] double projector_activations(const Job& job, const Strategy& strategy);

}  // namespace railyard::placement
