#pragma once

#include <memory>
#include <optional>
#include <span>

#include "collectives/nccl/choice/chooser.hpp"
#include "collectives/nccl/timing/fitted_pace.hpp"
#include "collectives/schedule/executor.hpp"

namespace railyard::collectives::nccl {

/// Two predictions in us of the time of a choice on a fabric, from two models of NCCL's software.
struct ChoiceTimes {
  double predicted = 0;  ///< with the fitted time model; with nominal timing equal to `estimated`
  double estimated = 0;  ///< with NCCL's own estimate

  /// Whether both times are smaller, and the predicted one by more than the factor `gain` (1.1:
  /// about a tenth).
  [[nodiscard]] bool beats(const ChoiceTimes& other, double gain) const {
    return predicted * gain < other.predicted && estimated < other.estimated;
  }
};

/// A fabric on which NCCL's algorithms are simulated to make a tuning file
/// (docs/models/nccl_tuning.md, tuning files). The flow simulation adds the effect of the fabric to
/// a model of NCCL's software:
///
///     with the fitted time model:  predicted = simulated
///                                  estimated = NCCL's estimate * simulated / pace alone
///     with nominal timing:         predicted = estimated
///                                            = NCCL's estimate * simulated / simulated on one
///                                            switch
struct TuningFabric {
  Chooser& chooser;
  std::span<const std::unique_ptr<Executor>> engines;  ///< one per seed; the mean of their times is
                                                       ///< used
  FittedPace* pace = nullptr;      ///< the time model of the engines; nullptr: nominal timing
  Executor* one_switch = nullptr;  ///< nominal timing: an engine for the same nodes on one switch
  std::shared_ptr<const Group> group;

  /// The factor by which another choice must be faster than NCCL's to replace it.
  [[nodiscard]] double least_gain() const;

  /// Lower bounds of times(). Nothing if the time model does not cover the choice, which then
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
