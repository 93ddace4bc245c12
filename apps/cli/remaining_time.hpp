#pragma once

#include <chrono>
#include <string>

#include "apps/cli/context.hpp"
#include "core/units.hpp"

namespace railyard::apps {

/// Progress within one long simulation on standard error: the share that is done, simulated time,
/// estimated time that remains. Silent if standard error is not a terminal.
class RemainingTime {
 public:
  explicit RemainingTime(Context& context);

  /// Draws at most ten times a second.
  void show(double share, Time simulated);
  void erase();

 private:
  using Clock = std::chrono::steady_clock;
  Context& context_;
  Clock::time_point begin_, drawn_;
  bool has_drawn_ = false;
};

/// "12 s", "3 min", "2.5 h".
[[nodiscard]] std::string remaining_text(double seconds);

}  // namespace railyard::apps
