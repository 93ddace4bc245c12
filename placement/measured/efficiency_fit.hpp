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
  /// Fits, per GPU generation, to the runs that `uses` selects: least squares of log(predicted /
  /// measured) with Cauchy's loss, each run weighted by one over the root of its set's size. A weak
  /// prior (0.05) pulls the efficiencies to typical values that no run entered.
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

/// What is held out together.
enum class HeldOut { model, machine };

/// A fit that is about to start: its name, and how many there are.
struct HeldOutFit {
  std::string_view name;
  std::size_t index = 0, count = 0;
};

/// Every run predicted, in seconds, with efficiencies that were fitted to all other runs of its
/// GPU's generation: without the runs of its model (hidden size and layers), or of its machine.
/// `on_fit` is called before each fit.
[[nodiscard]] std::vector<double> seconds_left_out(
    StepPredictor& predictor, std::span<const TrainingRun> runs, HeldOut what,
    const std::function<void(const HeldOutFit&)>& on_fit);

}  // namespace railyard::placement
