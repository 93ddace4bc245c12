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

/// A line chart. x is logarithmic (base two) if all x are positive and their largest is at least
/// eight times their smallest; otherwise x is linear from 0. y is linear from 0.
struct LineFigure {
  std::string x_name, y_name;
  std::vector<Line> lines;
};

/// The figure as an SVG element, with a legend below it. "" if no line has two points.
[[nodiscard]] std::string line_chart_svg(const LineFigure& figure);

}  // namespace railyard::core::drawing
