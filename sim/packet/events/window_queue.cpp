#include "sim/packet/events/window_queue.hpp"

#include <bit>

namespace railyard::sim::packet {

// Searches after `present_`, whose slot comes last because it may belong to present_ + kWindows.
std::int64_t WindowQueue::next_occupied() const {
  const auto first = static_cast<std::size_t>(present_ + 1) & (kWindows - 1);
  for (std::size_t step = 0; step <= kWords; ++step) {
    const std::size_t word = (first / 64 + step) % kWords;
    std::uint64_t bits = occupied_[word];
    if (step == 0) bits &= ~std::uint64_t{0} << (first % 64);
    if (step == kWords) bits &= (std::uint64_t{1} << (first % 64)) - 1;
    if (bits == 0) continue;
    const std::size_t slot = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
    return present_ + 1 + static_cast<std::int64_t>((slot - first) & (kWindows - 1));
  }
  return kNone;
}

bool WindowQueue::next(std::int64_t& window, std::vector<std::uint32_t>& domains) {
  domains.clear();
  window = peek();
  if (window == kNone) return false;
  present_ = window;
  while (!far_.empty() && far_.top().first < present_ + kWindows) {
    put(far_.top().first, far_.top().second);
    far_.pop();
  }
  domains.swap(ring_[static_cast<std::size_t>(window) & kMask]);
  set_empty(window);
  return true;
}

}  // namespace railyard::sim::packet
