#pragma once

#include <cstdint>
#include <vector>

#include "placement/capacity/goodput/training_run.hpp"

namespace railyard::placement {

/// A mean over runs, with the half width of its 95 % confidence interval (normal distribution, 1.96
/// standard errors).
struct Estimate {
  double mean = 0, half_width = 0;
};

/// Results of many simulated runs: means per run; times in seconds.
struct GoodputEstimate {
  Estimate goodput{};  ///< training that is not lost / elapsed time (effective training time
                       ///< ratio)
  Estimate elapsed{};
  double elapsed_p5 = 0, elapsed_p95 = 0;  ///< percentiles over runs
  double interruptions = 0;
  double checkpoint = 0;
  double availability = 1;           ///< fraction of node time, spares included, not under repair
  std::vector<CauseWaste> causes{};  ///< means per run
  /// Elapsed time minus checkpoints and the totals of the causes.
  [[nodiscard]] double training() const;
};

/// How many runs to simulate.
struct MonteCarlo {
  int runs = 1000;
  std::uint64_t seed = 1;
  int threads = 0;  ///< 0: one per core; does not change results
};

/// Simulates runs of a setup. A run that reaches its horizon before its work is done is
/// extrapolated: all its times are multiplied by work / useful.
[[nodiscard]] GoodputEstimate simulate_goodput(const RunSetup& setup, const MonteCarlo& options);

/// Goodput by exact_goodput for the setup's mean rate at its age, without repairs, spares and
/// shrinking. A checkpoint that is written in the background loses another `write` seconds per
/// failure on average, which are added to the restart.
[[nodiscard]] double formula_goodput(const RunSetup& setup);

/// The checkpoint interval in seconds with the highest goodput on the same simulated failures:
/// golden section search over its logarithm, between 1/8 and 8 times the formula's optimum, to 2 %.
[[nodiscard]] double simulated_interval(const RunSetup& setup, const MonteCarlo& options);

/// A cause of lost time, and the goodput with half of it.
struct WasteShare {
  std::string cause{};        ///< cause of failures; "checkpoints": their stalls
  double gpu_hours = 0;       ///< per run
  double share = 0;           ///< fraction of elapsed time
  double goodput_halved = 0;  ///< goodput simulated with half of its rate, or of the stall
};

/// The `count` causes that waste most, each with the goodput after halving it. For a trace every
/// second fault of the cause is removed.
[[nodiscard]] std::vector<WasteShare> largest_wastes(const RunSetup& setup,
                                                     const GoodputEstimate& estimate,
                                                     const MonteCarlo& options, std::size_t count);

}  // namespace railyard::placement
