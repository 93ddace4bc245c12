#include "apps/cli/remaining_time.hpp"

#include <fmt/format.h>

#include <ostream>

namespace railyard::apps {

std::string remaining_text(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 90 * 60) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

RemainingTime::RemainingTime(Context& context)
    : context_(context), begin_(Clock::now()), drawn_(begin_) {}

void RemainingTime::show(double share, Time simulated) {
  const Clock::time_point now = Clock::now();
  if (!context_.err_is_terminal || now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  has_drawn_ = true;
  const double elapsed = std::chrono::duration<double>(now - begin_).count();
  const std::string left =
      share > 0 ? ", about " + remaining_text(elapsed * (1 - share) / share) + " left" : "";
  // ECMA-48 erase in line.
  context_.err << fmt::format("\r{:3.0f} % of the bytes delivered in {:.1f} us{}\033[K",
                              100 * share, simulated.microseconds(), left)
               << std::flush;
}

void RemainingTime::erase() {
  if (has_drawn_) context_.err << "\r\033[K" << std::flush;
  has_drawn_ = false;
}

}  // namespace railyard::apps
