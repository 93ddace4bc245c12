#include "apps/cli/remaining_time.hpp"

#include <ostream>

namespace railyard::apps {

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
  context_.err << '\r' << sim::progress_text(progress, left) << "\033[K" << std::flush;
}

void RemainingTime::erase() {
  if (has_drawn_) context_.err << "\r\033[K" << std::flush;
  has_drawn_ = false;
}

}  // namespace railyard::apps
