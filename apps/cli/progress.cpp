#include "apps/cli/progress.hpp"

#include <fmt/format.h>

#include <ostream>

namespace railyard::apps {

Progress::Progress(Context& context, std::size_t steps)
    : context_(context), steps_(steps), draws_(context.err_is_terminal && steps > 1) {}

Progress::~Progress() { clear(); }

void Progress::clear() {
  // ECMA-48 erase in line.
  if (draws_) context_.err << "\r\033[K" << std::flush;
}

void Progress::next(std::string_view what) {
  if (!draws_) return;
  constexpr std::size_t kWidth = 30;
  const std::size_t filled = step_ * kWidth / steps_;
  ++step_;
  context_.err << fmt::format("\r\033[K[{:#<{}}{:.<{}}] {}/{} {}", "", filled, "", kWidth - filled,
                              step_, steps_, what)
               << std::flush;
}

}  // namespace railyard::apps
