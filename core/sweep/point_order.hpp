#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace railyard::core::sweep {

/// A part of the points of a sweep: every `count`-th.
struct Shard {
  std::size_t number = 0;  ///< from 0 to count - 1
  std::size_t count = 1;
};

/// Reads "I/N". Throws InputError for `flag` unless I is a number from 0 to N - 1.
[[nodiscard]] Shard parse_shard(const std::string& text, const std::string& flag);

/// The points that a process still has to run, by decreasing cost and then by number, so that no
/// worker runs a long point at the end. A shard is every n-th point of this order over all points,
/// independent of `is_done`. `costs`: by point, in any unit. `is_done`: by point.
[[nodiscard]] std::vector<std::size_t> missing_points(std::span<const double> costs,
                                                      const std::vector<bool>& is_done,
                                                      const Shard& shard);

}  // namespace railyard::core::sweep
