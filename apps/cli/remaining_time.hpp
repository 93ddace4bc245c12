#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>

#include "apps/cli/context.hpp"
#include "sim/run_watch.hpp"

namespace railyard::apps {

/// Estimates the remaining time of a phase of a run from the progress since its first report.
/// Restarts if the finished share decreases, because packet simulations may run several times.
class RemainingEstimate {
 public:
  /// The remaining seconds; nothing until 1 % of the phase was observed.
  [[nodiscard]] std::optional<double> after(const sim::RunProgress& progress, double now);

 private:
  sim::RunProgress::Phase phase_ = sim::RunProgress::Phase::paths;
  double first_share_ = 2, last_share_ = 2;  ///< above 1: no report yet
  double since_ = 0;
};

/// Progress of one long simulation on standard error: phase, finished share, simulated time and
/// estimated remaining time. Silent if standard error is not a terminal. Thread-safe.
class RemainingTime {
 public:
  explicit RemainingTime(Context& context);

  /// Draws at most ten times a second.
  void show(const sim::RunProgress& progress);
  void erase();

 private:
  using Clock = std::chrono::steady_clock;
  Context& context_;
  std::mutex drawing_;
  Clock::time_point begin_, drawn_;
  RemainingEstimate estimate_;
  bool has_drawn_ = false;
};

/// "finding paths: 12 %, about 3 s left", "12 % of the traffic delivered after 3.1 us".
[[nodiscard]] std::string progress_text(const sim::RunProgress& progress,
                                        std::optional<double> seconds_left);

/// "12 s", "3 min", "2.5 h".
[[nodiscard]] std::string remaining_text(double seconds);

}  // namespace railyard::apps
