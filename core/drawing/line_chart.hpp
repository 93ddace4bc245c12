#pragma once

#include <string>
#include <vector>

namespace railyard::core::drawing {

struct LinePoint {
  double x = 0, y = 0;
  std::string label{};  ///< beside the point; "" for none
};
struct Line {
  std::string name;
  std::vector<LinePoint> points;
  bool dashed = false;
  int colour = 0;  ///< CSS class s0..s7
};

/// Values over a number: logarithmic in powers of two where the numbers span a factor of eight and
/// are positive, linear from 0 else. y is linear from 0.
struct LineFigure {
  std::string x_name, y_name;
  std::vector<Line> lines;
};

/// The figure as an SVG element, with the names of the lines below; "" where no line has two
/// points.
[[nodiscard]] std::string line_chart_svg(const LineFigure& figure);

}  // namespace railyard::core::drawing
