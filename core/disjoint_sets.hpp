#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace railyard::core {

/// Disjoint sets of the numbers 0 .. count - 1 (union-find with path halving; Tarjan and van
/// Leeuwen, JACM 1984). The representative of a set is its smallest number, in any order of joins.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), std::uint32_t{0});
  }

  /// The smallest number in the set of x.
  [[nodiscard]] std::uint32_t find(std::uint32_t x) {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    a = find(a);
    b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace railyard::core
