#pragma once

#include <vector>

#include "placement/cost/step.hpp"

namespace railyard::placement {

/// Layers of each stage such that the slowest one, embedding and head counted at what their passes
/// take, is as fast as can be: layers go one by one to the stage with the least work. Layers with
/// experts and without count at their mean. Towers stand on the first stage.
[[nodiscard]] std::vector<int> balanced_layers(const Model& model, const Strategy& strategy,
                                               const Blocks& blocks);

}  // namespace railyard::placement
