#pragma once

#include <vector>

#include "placement/capacity/training/training_option.hpp"

namespace railyard::placement {

/// Result of a training with one policy for missing nodes.
struct RecoveryOutcome {
  double goodput = 0, days = 0;
};

/// Results for a number of spare nodes, by what the job does when they are used up.
struct RecoveryPolicy {
  int spares = 0;
  RecoveryOutcome waiting{}, shrinking{}, fastest{};  ///< by NodeMissing
};

/// Comparison of policies for a job that loses nodes.
struct Shrinking {
  ShrunkStrategy strategy{};               ///< strategy without one node
  std::vector<RecoveryPolicy> policies{};  ///< with no spares, half of them, and all
};

/// Compares three policies for a strategy on all GPUs of a problem: waiting for repairs, shrinking
/// to the best strategy on the remaining nodes, and the faster of both after each failure.
[[nodiscard]] Shrinking compare_recovery(const TrainingRequest& request, const OptionCase& one);

}  // namespace railyard::placement
