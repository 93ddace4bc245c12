#pragma once

#include <vector>

#include "placement/capacity/training/training_option.hpp"

namespace railyard::placement {

/// What a training takes by what the job does without a spare.
struct RecoveryOutcome {
  double goodput = 0, days = 0;
};

/// A number of spare nodes and what a job does when they are used up.
struct RecoveryPolicy {
  int spares = 0;
  RecoveryOutcome waiting{}, shrinking{}, fastest{};  ///< NodeMissing
};

/// A job that loses nodes.
struct Shrinking {
  ShrunkStrategy strategy{};               ///< without a node
  std::vector<RecoveryPolicy> policies{};  ///< with no, a half and all of the spares
};

/// Compares waiting for repairs, shrinking to the best strategy on the nodes that are left, and the
/// faster of both for each failure, for a strategy on all GPUs of a problem.
[[nodiscard]] Shrinking compare_recovery(const TrainingRequest& request, const OptionCase& one);

}  // namespace railyard::placement
