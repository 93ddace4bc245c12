#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "apps/cli/context.hpp"
#include "apps/output/rows.hpp"
#include "apps/validate/training/step_predictor.hpp"

namespace railyard::apps {

/// Efficiencies of a GPU generation ("8.0": compute capability), fitted to steps.
struct FittedEfficiencies {
  std::string generation{};
  std::size_t runs = 0;
  std::vector<std::string> names{};   ///< keys of "compute" in configs/gpus
  std::vector<double> values{};       ///< "launch" in microseconds
  std::vector<double> uncertainty{};  ///< standard error of the logarithm
};

/// Predictions with fitted efficiencies.
class EfficiencyFit {
 public:
  /// Fits, per GPU generation, to the runs that `uses` holds for: least squares of log(predicted /
  /// measured) with Cauchy's loss, each set weighing by the root of its size, the efficiencies
  /// held weakly (a prior of 0.05) to the defaults of ComputeSpec, which know no run.
  EfficiencyFit(StepPredictor& predictor, std::span<const TrainingRun> runs,
                const std::function<bool(const TrainingRun&)>& uses);

  /// With the efficiencies of the run's generation.
  [[nodiscard]] double seconds(const TrainingRun& run) const;
  [[nodiscard]] const std::map<std::string, FittedEfficiencies>& generations() const {
    return fitted_;
  }

 private:
  StepPredictor& predictor_;
  std::map<std::string, FittedEfficiencies> fitted_{};
};

/// A row per generation and efficiency.
[[nodiscard]] RowTable tabulate_efficiencies(const EfficiencyFit& fit);

/// What is held out together.
enum class HeldOut { model, machine };

/// Every run predicted, in seconds, with efficiencies that were fitted to all other runs of its
/// GPU's generation: without the runs of its model (hidden size and layers), or of its machine.
[[nodiscard]] std::vector<double> seconds_left_out(StepPredictor& predictor,
                                                   std::span<const TrainingRun> runs, HeldOut what,
                                                   Context& context);

}  // namespace railyard::apps
