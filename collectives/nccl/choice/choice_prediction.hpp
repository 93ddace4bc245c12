#pragma once

#include <optional>

#include "collectives/nccl/choice/chooser.hpp"
#include "collectives/nccl/timing/fitted_pace.hpp"
#include "collectives/schedule/executor.hpp"

namespace railyard::collectives::nccl {

/// Predicts the time that a benchmark would measure for a choice. NCCL's own estimate
/// (AlgorithmChoice::time_us) ignores faults, the links between switches, and how sends wait.
struct ChoicePrediction {
  Chooser& chooser;
  Executor& engine;            ///< runs the schedules; its time model is `pace`
  FittedPace* pace = nullptr;  ///< nullptr: nominal times
  bool has_faults = false;     ///< links of the cluster failed or are degraded

  /// The time in us of `choice` for the collective of `asked`. Nothing if the choice is excluded,
  /// or if no schedule supports it and the time model does not cover it. If another limit than
  /// those of NCCL's estimate binds, it becomes choice.bound_by.
  [[nodiscard]] std::optional<double> predict(ChoiceRequest asked, AlgorithmChoice& choice) const;

 private:
  [[nodiscard]] std::optional<double> paced(const ChoiceRequest& asked,
                                            const AlgorithmChoice& choice) const;
  [[nodiscard]] bool is_beyond_nccl(const Binding& bound) const;
};

}  // namespace railyard::collectives::nccl
