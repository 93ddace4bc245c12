#pragma once

#include <span>
#include <vector>

#include "core/units.hpp"

namespace railyard::placement {

/// A pipeline stage that layers are to be dealt to.
struct StageLoad {
  Time each{};   ///< forward and backward of a layer on it
  Time fixed{};  ///< and of what else it holds (embedding, head)
  int least = 1;
  int most = 0;  ///< layers that fit its memory
};

/// The layers of each stage that make (m - 1) · max T + sum T smallest, T = fixed + layers · each:
/// the time of 1F1B over m micro-batches. Exact: for every possible slowest stage the rest goes to
/// the stages where a layer is fastest. Of equals that with the lower slowest stage. Empty where
/// the layers do not fit.
[[nodiscard]] std::vector<int> split_layers(std::span<const StageLoad> stages, int layers,
                                            int micro_batches);

}  // namespace railyard::placement
