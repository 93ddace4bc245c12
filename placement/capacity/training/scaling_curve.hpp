#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "placement/capacity/training/training_cases.hpp"

namespace railyard::placement {

/// A candidate on a number of GPUs, compared with its smallest number of GPUs.
struct ScalingPoint {
  std::string cluster{};
  int gpus = 0;
  double tokens_per_s = 0;
  double strong = 1;             ///< efficiency with the job's batch
  std::optional<double> weak{};  ///< efficiency with the batch in proportion to the GPUs
  std::string strong_limit{}, weak_limit{};  ///< scaling_limit(), if the efficiency is too low
};

/// The scaling of each candidate, from its first case with an option; cases without one are
/// omitted. A wall is set if the efficiency is below `least`.
[[nodiscard]] std::vector<ScalingPoint> scaling_curve(const Job& job,
                                                      std::span<const CaseResult> results,
                                                      double least);

}  // namespace railyard::placement
