#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/drawing/markup.hpp"

namespace railyard::core::drawing {

/// A bar with its label, its length, and what stands behind it.
struct Bar {
  std::string label;
  double value = 0;
  std::string note;
  int colour = 0;  ///< CSS class s0..s7
};

/// A figure of bars with a heading and a caption. Nothing is written where no bar has a length.
struct BarFigure {
  std::string title, caption;
  std::vector<Bar> bars;
};

/// The names of colours (CSS classes s0..s11), in a line.
void write_legend(Markup& html, const std::vector<std::pair<std::string, int>>& names);
/// Bars from the left.
void write_bars(Markup& html, const BarFigure& figure);
/// A waterfall: the first bar is the whole, each further one is taken from what is left and begins
/// where the one before it ends; the last one shows what is left in the end. Where more than half
/// is left, the scale begins at a value with which what is taken fills two thirds of the width; the
/// caption then says so in `unit`.
void write_waterfall(Markup& html, BarFigure figure, const Bar& rest, const std::string& unit);
/// A tornado: bars to both sides of a line in the middle, negative ones to the left.
void write_tornado(Markup& html, const BarFigure& figure);

}  // namespace railyard::core::drawing
