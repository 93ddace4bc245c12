#pragma once

namespace railyard::placement {

/// A run with exponential failures and periodic checkpoints; all times in seconds.
struct ExponentialRun {
  double mean_time_to_failure = 0;
  double interval = 0;    ///< training between two checkpoints
  double checkpoint = 0;  ///< training stops during a checkpoint
  double restart = 0;     ///< failures can occur during a restart
  double downtime = 0;    ///< time before the restart (detection), without failures
};

/// Fraction of elapsed time that is training and is not lost. With M, T, C, R, D for the members
/// above, an interval with its checkpoint takes (M + D) e^(R/M) (e^((T+C)/M) - 1) on average (Daly,
/// FGCS 22(3), 2006, equation 9; with downtime: Bougeret et al., SC 2011, proposition 1), so
///   goodput = T / ((M + D) e^(R/M) (e^((T+C)/M) - 1)).
/// Example: M = 3 h, T = 20 min, C = 60 s, R = 10 min, D = 0: 1200 / (10800 · 1.0571 · 0.12375) =
/// 0.8494.
[[nodiscard]] double exact_goodput(const ExponentialRun& run);

/// Young's checkpoint interval in seconds: sqrt(2 C M) (CACM 17(9), 1974).
[[nodiscard]] double young_interval(double checkpoint, double mean_time_to_failure);
/// Daly's higher-order interval in seconds: sqrt(2CM) (1 + sqrt(C/2M)/3 + C/18M) - C for C < 2M,
/// else M.
[[nodiscard]] double daly_interval(double checkpoint, double mean_time_to_failure);
/// The interval with the highest exact goodput, in seconds: T = M (1 + W(-e^(-1 - C/M))), with W
/// the principal branch of Lambert's function. Infinite without failures.
[[nodiscard]] double optimal_interval(double checkpoint, double mean_time_to_failure);

}  // namespace railyard::placement
