#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/error_summary.hpp"
#include "placement/measured/training_runs.hpp"

namespace railyard::placement {

/// A run with its prediction.
struct PredictedStep {
  const TrainingRun* run = nullptr;
  double predicted_s = 0;
  double predicted_gib = 0;  ///< of the fullest GPU's tensors, without what is reserved
  /// Predicted with efficiencies fitted without its model, and without its machine; 0: not
  /// computed.
  double without_model_s = 0, without_machine_s = 0;
  double whole_step_s = 0;  ///< simulated as one workload; 0: not simulated
  [[nodiscard]] double error_pct() const { return 100 * (predicted_s / run->measured_s - 1); }
  /// Of the memory, where it was measured.
  [[nodiscard]] double memory_error_pct() const {
    return 100 * (predicted_gib / run->measured_gib - 1);
  }
};

/// Errors of a set, and what choosing strategies by the predictions would cost.
struct StepErrors {
  std::string set{};
  core::ErrorSummary errors{};
  core::ErrorSummary memory{};  ///< of the runs whose memory was measured
  std::size_t groups = 0;       ///< with two runs or more
  double regret = 0;  ///< measured time of the predicted best over the best, mean over groups
  double worst_regret = 0;
  double tau = 0;  ///< Kendall's, mean over groups
  ErrorTargets aim{};
  bool fitted = false;
};

/// Measured time of the predicted fastest of a group over the fastest, in per cent above.
[[nodiscard]] double regret_pct(std::span<const PredictedStep> group);
/// Kendall's tau between predicted and measured times: pairs in the same order less pairs in the
/// other, over all; a tie counts neither way. 0 of fewer than two.
[[nodiscard]] double kendall_tau(std::span<const PredictedStep> group);

/// Errors over all runs of the sets that the shipped efficiencies were fitted to ("all fitted"),
/// and over all other runs ("all others"), without regret and tau; no entry without a run.
[[nodiscard]] std::vector<StepErrors> overall_step_errors(const TrainingMap& map,
                                                          std::span<const PredictedStep> steps);

/// An entry per set that has runs.
[[nodiscard]] std::vector<StepErrors> step_errors(const TrainingMap& map,
                                                  std::span<const PredictedStep> steps);

}  // namespace railyard::placement
