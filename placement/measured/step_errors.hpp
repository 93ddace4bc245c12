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
  double predicted_gib = 0;  ///< tensors on the fullest GPU, without reserved memory
  /// Predicted with efficiencies fitted without the runs of its model, and without those of its
  /// machine; 0: not computed.
  double without_model_s = 0, without_machine_s = 0;
  double whole_step_s = 0;  ///< simulated as one workload; 0: not simulated
  [[nodiscard]] double error_pct() const { return 100 * (predicted_s / run->measured_s - 1); }
  /// Error of the memory; requires measured_gib > 0.
  [[nodiscard]] double memory_error_pct() const {
    return 100 * (predicted_gib / run->measured_gib - 1);
  }
};

/// Errors of a set, and the cost of choosing strategies by prediction.
struct StepErrors {
  std::string set{};
  core::ErrorSummary errors{};
  core::ErrorSummary memory{};  ///< over the runs with measured memory
  std::size_t groups = 0;       ///< number of groups with at least two runs
  double regret = 0;  ///< measured time of the predicted best, above that of the best, in %; mean
                      ///< over groups
  double worst_regret = 0;
  double tau = 0;  ///< Kendall's tau, mean over groups
  ErrorTargets aim{};
  bool fitted = false;
};

/// Measured time of the group's predicted fastest run, above that of its fastest run, in %.
[[nodiscard]] double regret_pct(std::span<const PredictedStep> group);
/// Kendall's tau between predicted and measured times: (pairs in equal order - pairs in opposite
/// order) / all pairs; ties count as neither. 0 for fewer than two runs.
[[nodiscard]] double kendall_tau(std::span<const PredictedStep> group);

/// Errors over all runs of the sets to which the shipped efficiencies were fitted ("all fitted"),
/// and over all other runs ("all others"), without regret and tau. Empty sets are omitted.
[[nodiscard]] std::vector<StepErrors> overall_step_errors(const TrainingMap& map,
                                                          std::span<const PredictedStep> steps);

/// Errors of each set that has runs.
[[nodiscard]] std::vector<StepErrors> step_errors(const TrainingMap& map,
                                                  std::span<const PredictedStep> steps);

/// step_errors(), then overall_step_errors().
[[nodiscard]] std::vector<StepErrors> all_step_errors(const TrainingMap& map,
                                                      std::span<const PredictedStep> steps);

/// The same for other predictions of the steps: `seconds` is PredictedStep::without_model_s,
/// without_machine_s or whole_step_s. Steps without such a prediction are left out.
[[nodiscard]] std::vector<StepErrors> step_errors_of(const TrainingMap& map,
                                                     std::span<const PredictedStep> steps,
                                                     double PredictedStep::*seconds);

}  // namespace railyard::placement
