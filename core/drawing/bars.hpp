#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/drawing/markup.hpp"

namespace railyard::core::drawing {

/// A bar: its label on the left, its length, and a note on the right.
struct Bar {
  std::string label;
  double value = 0;
  std::string note;
  int colour = 0;  ///< CSS class s0..s7
};

/// A figure of bars with a title and a caption. It is not written if all values are zero.
struct BarFigure {
  std::string title, caption;
  std::vector<Bar> bars;
};

/// Writes one line with the name of each colour (CSS classes s0..s11).
void write_legend(Markup& html, const std::vector<std::pair<std::string, int>>& names);
/// Writes a bar chart; bars begin at the left edge.
void write_bars(Markup& html, const BarFigure& figure);
/// Writes a waterfall chart. The first bar is the total. Each further bar is subtracted and begins
/// where the one before it ends. `rest`, the last bar, is the remainder. If the remainder is more
/// than half of the total, the scale does not begin at zero: the subtracted bars then fill two
/// thirds of the width, and the caption gives the first value of the scale in `unit`.
void write_waterfall(Markup& html, BarFigure figure, const Bar& rest, const std::string& unit);
/// Writes a tornado chart: bars start at a vertical line in the middle, negative ones to the left.
void write_tornado(Markup& html, const BarFigure& figure);

}  // namespace railyard::core::drawing
