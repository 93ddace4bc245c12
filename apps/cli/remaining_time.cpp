#include "apps/cli/remaining_time.hpp"

#include <fmt/format.h>

#include <ostream>

namespace railyard::apps {

std::string remaining_text(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 90 * 60) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string progress_text(const sim::RunProgress& progress, std::optional<double> seconds_left) {
  const bool finds_paths = progress.phase == sim::RunProgress::Phase::paths;
  const std::string done =
      finds_paths ? fmt::format("finding paths: {:.0f} %", 100 * progress.share)
                  : fmt::format("{:.0f} % of the traffic delivered after {:.1f} us",
                                100 * progress.share, progress.simulated.microseconds());
  if (!seconds_left) return done;
  return fmt::format("{}, about {} left{}", done, remaining_text(*seconds_left),
                     finds_paths ? ", then the transfers" : "");
}

std::optional<double> RemainingEstimate::after(const sim::RunProgress& progress, double now) {
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

RemainingTime::RemainingTime(Context& context)
    : context_(context), begin_(Clock::now()), drawn_(begin_) {}

void RemainingTime::show(const sim::RunProgress& progress) {
  if (!context_.err_is_terminal) return;
  const std::lock_guard lock(drawing_);
  const Clock::time_point now = Clock::now();
  if (now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  has_drawn_ = true;
  const auto left = estimate_.after(progress, std::chrono::duration<double>(now - begin_).count());
  // ECMA-48 erase in line.
  context_.err << '\r' << progress_text(progress, left) << "\033[K" << std::flush;
}

void RemainingTime::erase() {
  if (has_drawn_) context_.err << "\r\033[K" << std::flush;
  has_drawn_ = false;
}

}  // namespace railyard::apps
