#pragma once

#include <span>
#include <vector>

#include "core/units.hpp"

namespace railyard::placement {

/// A pipeline stage, for the assignment of layers.
struct StageLoad {
  Time each{};    ///< forward and backward time per layer
  Time fixed{};   ///< time of its other parts (embedding, head)
  int least = 1;  ///< fewest layers
  int most = 0;   ///< most layers, limited by its memory
};

/// Layers of each stage that minimise (m - 1) · max T + sum T with T = fixed + layers · each, the
/// time of 1F1B over m micro-batches. Exact: for every possible time of the slowest stage,
/// remaining layers go to the stages where a layer is fastest. Among equal results the one with the
/// faster slowest stage. Empty if the layers do not fit.
[[nodiscard]] std::vector<int> split_layers(std::span<const StageLoad> stages, int layers,
                                            int micro_batches);

}  // namespace railyard::placement
