#pragma once

#include <optional>
#include <string>
#include <vector>

#include "placement/capacity/goodput/goodput.hpp"

namespace railyard::placement {

/// A part of the elapsed time of a run.
struct TimePart {
  std::string name{};  ///< "training", "checkpoints", or a cause of failures
  double seconds = 0;
  double share = 0;                   ///< fraction of the elapsed time
  std::optional<CauseWaste> waste{};  ///< of a cause
};

/// Training, checkpoints, and each cause of interruptions; the parts sum to the elapsed time.
/// Causes without interruptions are left out.
[[nodiscard]] std::vector<TimePart> time_parts(const GoodputEstimate& estimate);

}  // namespace railyard::placement
