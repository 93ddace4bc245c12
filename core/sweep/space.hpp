#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/sweep/axis.hpp"

namespace railyard::core::sweep {

/// The points of a sweep: one value for each field.
///   Without samples: every combination of the rows of `list` (the first values of its axes, then
///   the second ones, ...) and the values of the grid; the last axis of the grid changes fastest.
///   With samples: that many different combinations, each drawn uniformly. Point i depends on the
///   seed alone, so that the first points of a larger sample are those of a smaller one.
/// For example grid a=1,2 and b=x,y: (1,x), (1,y), (2,x), (2,y).
struct Space {
  std::vector<Axis> grid;
  std::vector<Axis> list{};  ///< axes with the same number of values that change together
  std::optional<std::size_t> samples{};
  std::uint64_t seed = 1;
};

/// The fields in the order of the values of a point: first those of the list, then those of the
/// grid.
[[nodiscard]] std::vector<std::string> fields_of(const Space& space);

/// The values of every point. Throws InputError for a duplicate field, list axes of different
/// lengths, an interval without samples, or more than ten million points. A sample with more points
/// than combinations contains all of them.
[[nodiscard]] std::vector<std::vector<std::string>> points_of(const Space& space);

}  // namespace railyard::core::sweep
