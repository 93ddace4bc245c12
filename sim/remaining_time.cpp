#include "sim/remaining_time.hpp"

#include <fmt/format.h>

namespace railyard::sim {

std::string remaining_text(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 90 * 60) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string progress_text(const RunProgress& progress, std::optional<double> seconds_left) {
  const bool finds_paths = progress.phase == RunProgress::Phase::paths;
  const std::string done =
      finds_paths ? fmt::format("finding paths: {:.0f} %", 100 * progress.share)
                  : fmt::format("{:.0f} % of the traffic delivered after {:.1f} us",
                                100 * progress.share, progress.simulated.microseconds());
  if (!seconds_left) return done;
  return fmt::format("{}, about {} left{}", done, remaining_text(*seconds_left),
                     finds_paths ? ", then the transfers" : "");
}

std::optional<double> RemainingEstimate::after(const RunProgress& progress, double now) {
  constexpr double kEnough = 0.01;
  const double share = progress.share;
  if (progress.phase != phase_ || share < last_share_) {
    phase_ = progress.phase;
    first_share_ = share;
    since_ = now;
  }
  last_share_ = share;
  const double done = share - first_share_;
  if (done < kEnough) return {};
  return (now - since_) * (1 - share) / done;
}

}  // namespace railyard::sim
