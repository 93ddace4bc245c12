#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

namespace railyard::sim::packet {

/// The domains that have work in each window of time: a ring for the next windows, and a heap for
/// later ones. Windows are numbered. A pushed window must be later than the last one taken.
class WindowQueue {
 public:
  WindowQueue() : ring_(kWindows) {}

  void push(std::int64_t window, std::uint32_t domain) {
    if (window < present_ + kWindows)
      put(window, domain);
    else
      far_.push({window, domain});
  }
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  /// The next window with domains; kNone if there is none.
  [[nodiscard]] std::int64_t peek() const {
    return std::min(next_occupied(), far_.empty() ? kNone : far_.top().first);
  }
  /// The next window with a domain that is due in it. Removes the windows before it.
  template <class IsDue>
  [[nodiscard]] std::int64_t peek(const IsDue& is_due) {
    for (std::int64_t window = next_occupied(); window != kNone; window = next_occupied()) {
      std::vector<std::uint32_t>& domains = ring_[static_cast<std::size_t>(window) & kMask];
      const auto is_here = [&](std::uint32_t domain) { return is_due(domain, window); };
      if (std::ranges::any_of(domains, is_here)) return window;
      domains.clear();
      set_empty(window);
    }
    for (; !far_.empty(); far_.pop())
      if (is_due(far_.top().second, far_.top().first)) return far_.top().first;
    return kNone;
  }
  /// Advances to the next window with domains, and returns these in the order of pushes. Returns
  /// false if there is none.
  [[nodiscard]] bool next(std::int64_t& window, std::vector<std::uint32_t>& domains);

 private:
  static constexpr std::int64_t kWindows = 1024;
  static constexpr std::size_t kMask = kWindows - 1;
  static constexpr std::size_t kWords = kWindows / 64;
  using Far = std::pair<std::int64_t, std::uint32_t>;

  void put(std::int64_t window, std::uint32_t domain) {
    const auto slot = static_cast<std::size_t>(window) & kMask;
    ring_[slot].push_back(domain);
    occupied_[slot / 64] |= std::uint64_t{1} << (slot % 64);
  }
  void set_empty(std::int64_t window) {
    const auto slot = static_cast<std::size_t>(window) & kMask;
    occupied_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
  }
  [[nodiscard]] std::int64_t next_occupied() const;

  std::int64_t present_ = -1;
  std::vector<std::vector<std::uint32_t>> ring_;
  std::array<std::uint64_t, kWords> occupied_{};
  std::priority_queue<Far, std::vector<Far>, std::greater<>> far_;
};

}  // namespace railyard::sim::packet
