#pragma once

#include <chrono>
#include <mutex>

#include "apps/cli/context.hpp"
#include "sim/remaining_time.hpp"

namespace railyard::apps {

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
  sim::RemainingEstimate estimate_;
  bool has_drawn_ = false;
};

}  // namespace railyard::apps
