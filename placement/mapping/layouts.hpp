#pragma once

#include <span>
#include <string>
#include <vector>

#include "placement/mapping/rank_grid.hpp"

namespace railyard::placement {

/// Order in which the axes of a grid are laid over places, fastest first. An axis may be split.
using Layout = std::vector<GridDimension>;

/// Every order of the axes larger than 1 (n! of them).
[[nodiscard]] std::vector<Layout> axis_orders(const RankGrid& grid);

/// Layouts one step away: a run of an axis, or a prime factor of it, moves to another position.
/// Neighbouring runs of one axis are joined. `layout` itself is not included.
[[nodiscard]] std::vector<Layout> neighbours(const Layout& layout);

}  // namespace railyard::placement
