#pragma once

#include <vector>

#include "placement/cost/step.hpp"

namespace railyard::placement {

/// Layers of each stage that make the slowest stage as fast as possible, with the passes of
/// embedding and head included: each layer goes to the stage with the least work so far. Layers
/// with and without experts count with their mean. Towers are on the first stage.
[[nodiscard]] std::vector<int> balanced_layers(const Model& model, const Strategy& strategy,
                                               const BlockCosts& blocks);

}  // namespace railyard::placement
