#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace railyard::core {

/// Disjoint sets of the numbers 0 .. count - 1 (union-find with path halving; Tarjan and van
/// Leeuwen, JACM 1984). The representative of a set is its smallest number, in any order of joins.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t count) : parent_(count), count_(count) {
    std::iota(parent_.begin(), parent_.end(), std::uint32_t{0});
  }

  /// The smallest number in the set of x.
  [[nodiscard]] std::uint32_t find(std::size_t x) {
    while (parent_[x] != x) {
      parent_[x] = parent_[parent_[x]];
      x = parent_[x];
    }
    return static_cast<std::uint32_t>(x);
  }
  /// The same, without path halving.
  [[nodiscard]] std::uint32_t find(std::size_t x) const {
    while (parent_[x] != x) x = parent_[x];
    return static_cast<std::uint32_t>(x);
  }
  /// Unites the sets of a and b. False: they were one set before.
  bool join(std::size_t a, std::size_t b) {
    const std::uint32_t of_a = find(a), of_b = find(b);
    if (of_a == of_b) return false;
    parent_[std::max(of_a, of_b)] = std::min(of_a, of_b);
    --count_;
    return true;
  }
  /// The number of sets.
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  std::vector<std::uint32_t> parent_;
  std::size_t count_;
};

}  // namespace railyard::core
