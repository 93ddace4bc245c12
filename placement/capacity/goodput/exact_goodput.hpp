#pragma once

namespace railyard::placement {

/// Exponential failures and periodic checkpoints; all in seconds.
struct ExponentialRun {
  double mean_time_to_failure = 0;
  double interval = 0;    ///< training between two checkpoints
  double checkpoint = 0;  ///< training stops for it
  double restart = 0;     ///< a failure may come in it
  double downtime = 0;    ///< before the restart; no failure counts in it: detection
};

/// Share of the time that is training which is kept. An interval with its checkpoint takes, on
/// average, (M + D) e^(R/M) (e^((T+C)/M) - 1) (Daly, FGCS 22(3), 2006, equation 9; with downtime:
/// Bougeret et al., SC 2011, proposition 1), so
///   goodput = T / ((M + D) e^(R/M) (e^((T+C)/M) - 1)).
/// Example: M = 3 h, T = 20 min, C = 60 s, R = 10 min, D = 0: 1200 / (10800 · 1.0571 · 0.12375) =
/// 0.8494.
[[nodiscard]] double exact_goodput(const ExponentialRun& run);

/// sqrt(2 C M) (Young, CACM 17(9), 1974).
[[nodiscard]] double young_interval(double checkpoint, double mean_time_to_failure);
/// Daly's higher order: sqrt(2CM) (1 + sqrt(C/2M)/3 + C/18M) - C for C < 2M, else M.
[[nodiscard]] double daly_interval(double checkpoint, double mean_time_to_failure);
/// The interval with the highest exact goodput: T = M (1 + W(-e^(-1 - C/M))), W the principal
/// branch of Lambert's function. Infinite without failures.
[[nodiscard]] double optimal_interval(double checkpoint, double mean_time_to_failure);

}  // namespace railyard::placement
