#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error_summary.hpp"
#include "placement/serving/load/throughput_range.hpp"
#include "placement/serving/measured/serving_fit.hpp"

namespace railyard::placement::serving {

/// A measured run and its prediction. The measured run must outlive it.
struct PredictedServing {
  const ServingRun* run = nullptr;
  ClosedResult simulated{};
  /// Closed-form TPOT in seconds; 0: the closed form does not cover the run.
  double closed_tpot = 0;
  /// Simulated with parameters fitted without runs of its model, and without runs of its cluster.
  /// Zeros if not computed.
  ClosedResult without_model{}, without_cluster{};

  /// Errors of the simulation in per cent. ttft_error_pct() is empty if the TTFT was not measured.
  [[nodiscard]] double tpot_error_pct() const;
  [[nodiscard]] std::optional<double> ttft_error_pct() const;
};

/// Simulates each run. Also computes the closed form of runs without a prefill pool.
[[nodiscard]] std::vector<PredictedServing> predict_servings(ServingPredictor& predictor,
                                                             std::span<const ServingRun> runs,
                                                             const EngineEfficiencies& with);

/// Errors of a group of runs in per cent.
struct ServingErrors {
  std::string group{};
  core::ErrorSummary tpot{}, ttft{};
  core::ErrorSummary throughput{};  ///< of tokens per second and GPU, computed from TTFT and TPOT
  core::ErrorSummary without_model{}, without_cluster{};  ///< of the TPOT
  core::ErrorSummary without_model_ttft{}, without_cluster_ttft{};
};

/// An entry per group of runs (ServingRun::group), then "all dense models", "all models with
/// experts" and "all pools". Groups without runs have no entry.
[[nodiscard]] std::vector<ServingErrors> serving_errors(std::span<const PredictedServing> runs);

/// The 80 % range of measured over predicted throughput of a class of runs at high load.
struct ServingRange {
  bool has_experts = false;
  bool gpu_in_fit = true;  ///< false: predicted with parameters fitted without the run's cluster
  std::size_t runs = 0;    ///< number of runs at high load
  ThroughputRange range{};
};

/// Ranges of dense models and of models with experts, each with and without the GPU in the fit. A
/// class without runs has no entry. Runs with a prefill pool are not included.
[[nodiscard]] std::vector<ServingRange> serving_ranges(std::span<const PredictedServing> runs);

}  // namespace railyard::placement::serving
