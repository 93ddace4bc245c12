#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error_summary.hpp"
#include "placement/serving/load/throughput_range.hpp"
#include "placement/serving/measured/serving_fit.hpp"

namespace railyard::placement::serving {

/// A measured run with what was predicted for it. The run must outlive it.
struct PredictedServing {
  const ServingRun* run = nullptr;
  ClosedResult simulated{};
  double closed_tpot = 0;  ///< by the closed form, in seconds; 0: it does not cover the run
  /// Simulated with parameters fitted without its model, and without its cluster; zeros: not
  /// computed.
  ClosedResult without_model{}, without_cluster{};

  /// Errors of the simulation in per cent; nothing where the TTFT was not measured.
  [[nodiscard]] double tpot_error_pct() const;
  [[nodiscard]] std::optional<double> ttft_error_pct() const;
};

/// Simulates each run, and computes its closed form where it has no prefill pool.
[[nodiscard]] std::vector<PredictedServing> predict_servings(ServingPredictor& predictor,
                                                             std::span<const ServingRun> runs,
                                                             const EngineEfficiencies& with);

/// Errors of a group of runs in per cent, by quantity.
struct ServingErrors {
  std::string group{};
  core::ErrorSummary tpot{}, ttft{};
  core::ErrorSummary throughput{};  ///< tokens per second and GPU, from TTFT and TPOT
  core::ErrorSummary without_model{}, without_cluster{};  ///< of the TPOT
  core::ErrorSummary without_model_ttft{}, without_cluster_ttft{};
};

/// An entry per group of runs (ServingRun::group), then "all dense models", "all models with
/// experts" and "all pools", each where it has runs.
[[nodiscard]] std::vector<ServingErrors> serving_errors(std::span<const PredictedServing> runs);

/// The 80 % range of measured over predicted throughput of a class of runs at high load.
struct ServingRange {
  bool has_experts = false;
  bool gpu_in_fit = true;  ///< false: predicted with parameters fitted without the run's cluster
  std::size_t runs = 0;    ///< at high load
  ThroughputRange range{};
};

/// Ranges of dense models and of models with experts, each with the GPU in the fit and without; no
/// entry for a class without runs. Runs with a prefill pool do not count.
[[nodiscard]] std::vector<ServingRange> serving_ranges(std::span<const PredictedServing> runs);

}  // namespace railyard::placement::serving
