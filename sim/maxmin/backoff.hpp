#pragma once

#include <algorithm>
#include <cstdint>

namespace railyard::sim {

/// Exponential backoff for shortcuts that may not pay off: the number of solves until the next
/// attempt. It is 1 at first, doubles with each failed attempt up to `longest`, and returns to 1
/// after a successful one.
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
