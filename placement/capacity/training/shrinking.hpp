#pragma once

#include <string>
#include <vector>

#include "placement/capacity/training/training_option.hpp"

namespace railyard::placement {

/// A number of spare nodes and what a job does when they are used up.
struct RecoveryPolicy {
  int spares = 0;
  double waiting = 0;    ///< goodput if it waits for a repair
  double shrinking = 0;  ///< goodput if it goes on with fewer GPUs meanwhile
  double waiting_days = 0, shrinking_days = 0;
};

/// A job that loses nodes.
struct Shrinking {
  int gpus = 0;            ///< of the strategy on what is left; 0: none fits
  double speed = 0;        ///< over that on all GPUs
  std::string strategy{};  ///< elastic_options(): the faster of the same split and the fastest
  std::vector<RecoveryPolicy> policies{};  ///< with no, a half and all of the spares
};

/// Compares waiting for repairs with shrinking to the best strategy on the nodes that are left, for
/// a strategy on all GPUs of a problem.
[[nodiscard]] Shrinking compare_recovery(const TrainingRequest& request, const OptionCase& one);

}  // namespace railyard::placement
