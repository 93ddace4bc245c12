#pragma once

#include <string>
#include <vector>

#include "placement/serving/measured/mapped_row.hpp"
#include "placement/serving/measured/serving_fit.hpp"

namespace railyard::placement::serving {

/// Measured power of a static batch: one step with all prompts, followed by decode steps.
struct PowerRun {
  std::string model{}, cluster{};  ///< names in configs
  std::string group{};             ///< model, machine and tp
  Deployment deployment{};
  double prompt = 0, batch = 0, output = 0;  ///< tokens of a prompt, sequences, tokens of an answer
  /// Measured times of all prompts and of a decode step.
  double prompt_seconds = 0, token_seconds = 0;
  double prompt_power = 0;  ///< highest reading of the run / TDP; 0: not measured
  double decode_power = 0;  ///< mean reading of the run / TDP; 0: not measured, or mostly prompts
};

/// Runs, and the rows that are left out.
struct PowerRuns {
  std::vector<PowerRun> runs{};
  std::vector<std::string> left_out{};  ///< "reason: number of rows"
};

/// Runs from rows with the columns of Splitwise's perf_model.csv: model, gpu, tp, prompt_tokens,
/// batch, output_tokens, prompt_ms, token_ms, peak_power_of_tdp, average_power_of_tdp. The mean
/// power of a run counts as that of its decodes if they take at least four fifths of its time.
/// Throws InputError for a text that is not a number.
[[nodiscard]] PowerRuns power_runs(const ServingMap& map, const std::vector<MeasuredRows>& tables);

/// Seconds over which a GPU's power sensor averages. Fitted together with the power model to Llama
/// 2 70B on A100 (step_power.hpp): readings of prompts shorter than 0.2 s are too low. NVIDIA's
/// sensors update ten times per second and average (Yang, Adamek, Armour: Part-time Power
/// Measurements, SC24).
inline constexpr double kPowerWindow = 0.2;

/// Predicted power as a share of the TDP, at the measured times.
struct PredictedPower {
  double prompt = 0;  ///< during the step of the prompts
  double decode = 0;
  /// The highest sensor reading of a run: the mean power over kPowerWindow, with prompts for
  /// min(seconds, kPowerWindow) and decodes for the rest.
  [[nodiscard]] double highest_reading(double seconds) const;
};
/// Predicts the power of a run by step_power_share(), at its measured times.
[[nodiscard]] PredictedPower predict_power(ServingPredictor& predictor, const PowerRun& run);

}  // namespace railyard::placement::serving
