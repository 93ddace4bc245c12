#pragma once

#include <memory>
#include <optional>
#include <span>

#include "collectives/nccl/choice/chooser.hpp"
#include "collectives/nccl/timing/fitted_pace.hpp"
#include "collectives/schedule/executor.hpp"

namespace railyard::collectives::nccl {

/// Two times of a choice on a fabric, in us, from two models of NCCL's software.
struct ChoiceTimes {
  double predicted = 0;  ///< by the fitted model; with nominal timing the same as `estimated`
  double estimated = 0;  ///< by NCCL's own estimate

  /// Less by both, and by a factor of `gain` (1.1: a tenth) in the predicted time.
  [[nodiscard]] bool beats(const ChoiceTimes& other, double gain) const {
    return predicted * gain < other.predicted && estimated < other.estimated;
  }
};

/// A fabric on which NCCL's algorithms are timed by flow simulation, to make a tuning file
/// (docs/models/nccl_tuning.md, tuning files).
///
///     with the fitted time model:  predicted = simulated
///                                  estimated = NCCL's estimate * simulated / pace alone
///     with nominal timing:         predicted = estimated
///                                            = NCCL's estimate * simulated / simulated on one
///                                            switch
struct TuningFabric {
  Chooser& chooser;
  std::span<const std::unique_ptr<Executor>> engines;  ///< one per seed: the mean counts
  FittedPace* pace = nullptr;      ///< that the engines use; nullptr: nominal timing
  Executor* one_switch = nullptr;  ///< nominal timing: the same nodes on one switch
  std::shared_ptr<const Group> group;

  /// The factor by which another choice must be faster than NCCL's to replace it.
  [[nodiscard]] double least_gain() const;

  /// Lower bounds of times(); nothing where the time model does not cover the choice, so that it
  /// cannot be compared.
  [[nodiscard]] std::optional<ChoiceTimes> lower_bound(const ChoiceRequest& request,
                                                       const AlgorithmChoice& choice) const;

  /// The times of a choice on the fabric. Requires a lower bound.
  [[nodiscard]] ChoiceTimes times(const ChoiceRequest& request,
                                  const AlgorithmChoice& choice) const;
};

/// The cluster with one switch that connects all NICs, in place of its fabric.
[[nodiscard]] topology::Cluster on_one_switch(const topology::Cluster& cluster);

}  // namespace railyard::collectives::nccl
