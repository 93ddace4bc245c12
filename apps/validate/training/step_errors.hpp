#pragma once

#include <span>
#include <string>
#include <vector>

#include "apps/output/rows.hpp"
#include "apps/validate/training/runs.hpp"

namespace railyard::apps {

/// A run with its prediction.
struct JudgedStep {
  const TrainingRun* run = nullptr;
  double predicted_s = 0;
  /// Predicted with efficiencies that were fitted without its model, and without its machine;
  /// 0: not asked for.
  double without_model_s = 0, without_machine_s = 0;
  [[nodiscard]] double error_pct() const { return 100 * (predicted_s / run->measured_s - 1); }
};

/// Errors of a set, and what a user of the predictions would lose.
struct StepErrors {
  std::string set{};
  std::size_t runs = 0;
  double mean_abs = 0, median_abs = 0, p90_abs = 0;
  double bias = 0;         ///< mean of the signed errors: above 0 where predictions are too long
  std::size_t groups = 0;  ///< with two runs or more
  double regret = 0;       ///< measured time of the predicted best over the best, mean over groups
  double worst_regret = 0;
  double tau = 0;  ///< Kendall's, mean over groups
  SetAim aim{};
  bool fitted = false;
};

/// Measured time of the predicted fastest of a group over the fastest, in per cent above.
[[nodiscard]] double regret_pct(std::span<const JudgedStep> group);
/// Kendall's tau between predicted and measured times: pairs in the same order less pairs in the
/// other, over all; a tie counts neither way. 0 of fewer than two.
[[nodiscard]] double kendall_tau(std::span<const JudgedStep> group);

/// A line per set that has runs.
[[nodiscard]] std::vector<StepErrors> step_errors(const TrainingMap& map,
                                                  std::span<const JudgedStep> steps);

[[nodiscard]] RowTable tabulate_step_errors(std::span<const StepErrors> errors);

}  // namespace railyard::apps
