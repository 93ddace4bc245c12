#pragma once

#include <algorithm>
#include <cstdint>

namespace railyard::sim {

/// How long to wait before the next attempt at a shortcut that may not pay. The wait is 1 at first,
/// doubles with each failed attempt up to `longest`, and is 1 again after one that succeeded.
class Backoff {
 public:
  explicit constexpr Backoff(std::uint32_t longest = 1024) : longest_(longest) {}

  [[nodiscard]] constexpr std::uint32_t wait() const { return wait_; }
  constexpr void fail() { wait_ = std::min(wait_ * 2, longest_); }
  constexpr void succeed() { wait_ = 1; }

 private:
  std::uint32_t longest_;
  std::uint32_t wait_ = 1;
};

}  // namespace railyard::sim
