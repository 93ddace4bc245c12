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

/// Reads "I/N". Throws InputError that names `flag` unless I is a number from 0 to N - 1.
[[nodiscard]] Shard parse_shard(const std::string& text, const std::string& flag);

/// The points that a process still has to run, the costliest first and equal ones in their order,
/// so that no worker is left alone with a long point at the end. A shard takes every n-th of this
/// order over all points, so that it is the same whatever is done.
/// `costs`: of each point, in any unit. `is_done`: as many.
[[nodiscard]] std::vector<std::size_t> missing_points(std::span<const double> costs,
                                                      const std::vector<bool>& is_done,
                                                      const Shard& shard);

}  // namespace railyard::core::sweep
