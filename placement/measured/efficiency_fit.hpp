#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "placement/measured/step_predictor.hpp"

namespace railyard::placement {

/// Efficiencies of a GPU generation ("8.0": its compute capability), fitted to measured steps.
struct FittedEfficiencies {
  std::string generation{};
  std::size_t runs = 0;
  std::vector<std::string> names{};   ///< keys of "compute" in configs/gpus
  std::vector<double> values{};       ///< fractions; "launch" in microseconds
  std::vector<double> uncertainty{};  ///< standard error of the logarithm
};

/// Fitted efficiencies by GPU generation, and predictions with them.
class EfficiencyFit {
 public:
  /// Fits the efficiencies of each GPU generation to the runs for which `uses` is true: least
  /// squares of log(predicted / measured) with Cauchy's loss, each run weighted by 1 / sqrt(size of
  /// its set). A weak prior (0.05) pulls the efficiencies to typical values that do not come from
  /// these runs.
  EfficiencyFit(StepPredictor& predictor, std::span<const TrainingRun> runs,
                const std::function<bool(const TrainingRun&)>& uses);

  /// Predicted step time in s with the efficiencies of the run's generation.
  [[nodiscard]] double seconds(const TrainingRun& run) const;
  [[nodiscard]] const std::map<std::string, FittedEfficiencies>& generations() const {
    return fitted_;
  }

 private:
  StepPredictor& predictor_;
  std::map<std::string, FittedEfficiencies> fitted_{};
};

/// The runs that are held out together: of one model, or of one machine.
enum class HeldOut { model, machine };

/// A fit that is about to start: its name, and the number of fits.
struct HeldOutFit {
  std::string_view name;
  std::size_t index = 0, count = 0;
};

/// Predictions in s, each with efficiencies fitted to the other runs of the same GPU generation:
/// without all runs of its model (hidden size and layers), or of its machine. `on_fit` is called
/// before each fit.
[[nodiscard]] std::vector<double> seconds_left_out(
    StepPredictor& predictor, std::span<const TrainingRun> runs, HeldOut what,
    const std::function<void(const HeldOutFit&)>& on_fit);

}  // namespace railyard::placement
