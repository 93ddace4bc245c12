#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error_summary.hpp"
#include "placement/serving/measured/power_runs.hpp"

namespace railyard::placement::serving {

/// The measured power of a batch and its prediction. The measured run must outlive it.
struct ComparedPower {
  const PowerRun* run = nullptr;
  PredictedPower predicted{};

  /// Predicted highest power reading while the prompts run, as a share of the TDP.
  [[nodiscard]] double reading() const { return predicted.highest_reading(run->prompt_seconds); }
  /// Errors in per cent; decode_error_pct() is empty if the power of decodes was not measured.
  [[nodiscard]] double prompt_error_pct() const;
  [[nodiscard]] std::optional<double> decode_error_pct() const;
};

/// Predicts the power of each run, at its measured times.
[[nodiscard]] std::vector<ComparedPower> compare_powers(std::span<const PowerRun> runs);

/// Errors of a group of runs in per cent.
struct PowerErrors {
  std::string group{};
  core::ErrorSummary prompt{}, decode{};
};

/// An entry per group of runs (PowerRun::group), and one per model, "all MODEL".
[[nodiscard]] std::vector<PowerErrors> power_errors(std::span<const ComparedPower> runs);

}  // namespace railyard::placement::serving
