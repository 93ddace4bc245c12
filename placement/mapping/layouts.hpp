#pragma once

#include <span>
#include <string>
#include <vector>

#include "placement/mapping/rank_grid.hpp"

namespace railyard::placement {

/// An order in which the axes of a grid are laid over places, fastest first; an axis may be split.
using Layout = std::vector<GridDimension>;

/// Every order of the axes that are larger than 1 (n! of them).
[[nodiscard]] std::vector<Layout> axis_orders(const RankGrid& grid);

/// Layouts one step away: a run of an axis, or a prime part of one, is taken out and put in
/// elsewhere. Neighbouring runs of one axis are joined; `layout` is not among them.
[[nodiscard]] std::vector<Layout> neighbours(const Layout& layout);

}  // namespace railyard::placement
