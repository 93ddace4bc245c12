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
  double prompt_seconds = 0, token_seconds = 0;  ///< measured: of all prompts, of a decode step
  double prompt_power = 0;  ///< measured over the TDP, the highest reading of the run; 0: none
  double decode_power = 0;  ///< likewise, the mean of the run; 0: none, or of another phase
};

struct PowerRuns {
  std::vector<PowerRun> runs{};
  std::vector<std::string> left_out{};  ///< "reason: so many rows"
};

/// Rows with the columns of Splitwise's perf_model.csv: model, gpu, tp, prompt_tokens, batch,
/// output_tokens, prompt_ms, token_ms, peak_power_of_tdp, average_power_of_tdp. The mean power of a
/// run counts as that of its decodes where they take at least four fifths of its time. Throws
/// InputError for a text that is no number.
[[nodiscard]] PowerRuns power_runs(const ServingMap& map, const std::vector<MeasuredRows>& tables);

/// Seconds over which a reading of a GPU's power is a mean. Fitted with the power model to
/// Llama 2 70B on A100 (step_power.hpp): prompts of less than 0.2 s read too little. NVIDIA's
/// sensors update ten times per second and average (Yang, Adamek, Armour: Part-time Power
/// Measurements, SC24).
inline constexpr double kPowerWindow = 0.2;

/// Predicted power / TDP, for the measured times.
struct PredictedPower {
  double prompt = 0;  ///< of the prompts' step
  double decode = 0;
  /// The highest reading of a run: a mean over kPowerWindow, of which prompts of `seconds` take at
  /// most all and decodes the rest.
  [[nodiscard]] double highest_reading(double seconds) const;
};
[[nodiscard]] PredictedPower predict_power(ServingPredictor& predictor, const PowerRun& run);

}  // namespace railyard::placement::serving
