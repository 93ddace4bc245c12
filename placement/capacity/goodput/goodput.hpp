#pragma once

#include <cstdint>
#include <vector>

#include "placement/capacity/goodput/training_run.hpp"

namespace railyard::placement {

/// A mean over runs with the half width of its 95 % confidence interval (normal; 1.96 standard
/// errors).
struct Estimate {
  double mean = 0, half_width = 0;
};

/// What many simulated runs say; times in seconds, means of a run.
struct GoodputEstimate {
  Estimate goodput{};  ///< training that is kept over elapsed time (effective training time ratio)
  Estimate elapsed{};
  double elapsed_p5 = 0, elapsed_p95 = 0;  ///< percentiles over runs
  double interruptions = 0;
  double checkpoint = 0;
  double availability = 1;           ///< of nodes and spares
  std::vector<CauseWaste> causes{};  ///< means
  /// Elapsed time without checkpoints and the totals of the causes.
  [[nodiscard]] double training() const;
};

/// How many runs to simulate.
struct MonteCarlo {
  int runs = 1000;
  std::uint64_t seed = 1;
  int threads = 0;  ///< 0: one per core; results do not depend on it
};

/// Simulates runs of a setup. A run that its horizon ends before its work is done is extrapolated:
/// all its times are multiplied by work / useful.
[[nodiscard]] GoodputEstimate simulate_goodput(const RunSetup& setup, const MonteCarlo& options);

/// The formula for the setup's mean rate at its age; without repairs, spares and shrinking. A write
/// in the background loses, on average, a further `write` seconds per failure, which is added to
/// the restart.
[[nodiscard]] double formula_goodput(const RunSetup& setup);

/// The checkpoint interval with the highest goodput of the same simulated failures: golden section
/// in its logarithm between an eighth and eight times the formula's optimum, to 2 %.
[[nodiscard]] double simulated_interval(const RunSetup& setup, const MonteCarlo& options);

/// A cause of lost time, and the goodput if there were half of it.
struct WasteShare {
  std::string cause{};        ///< of the failures; "checkpoints" for the stalls
  double gpu_hours = 0;       ///< of a run
  double share = 0;           ///< of elapsed time
  double goodput_halved = 0;  ///< simulated again with half of its rate, or of the stall
};

/// The `count` causes that waste most, with what halving each gives. A trace is thinned: every
/// second fault of the class goes.
[[nodiscard]] std::vector<WasteShare> largest_wastes(const RunSetup& setup,
                                                     const GoodputEstimate& estimate,
                                                     const MonteCarlo& options, std::size_t count);

}  // namespace railyard::placement
