#pragma once

#include <optional>
#include <string>

#include "sim/run_watch.hpp"

namespace railyard::sim {

/// Estimates the remaining time of a phase of a run from the progress since its first report.
/// Restarts if the finished share decreases, because packet simulations may run several times.
class RemainingEstimate {
 public:
  /// The remaining seconds; nothing until 1 % of the phase was observed.
  [[nodiscard]] std::optional<double> after(const RunProgress& progress, double now);

 private:
  RunProgress::Phase phase_ = RunProgress::Phase::paths;
  double first_share_ = 2, last_share_ = 2;  ///< above 1: no report yet
  double since_ = 0;
};

/// "finding paths: 12 %, about 3 s left", "12 % of the traffic delivered after 3.1 us".
[[nodiscard]] std::string progress_text(const RunProgress& progress,
                                        std::optional<double> seconds_left);

/// "12 s", "3 min", "2.5 h".
[[nodiscard]] std::string remaining_text(double seconds);

}  // namespace railyard::sim
