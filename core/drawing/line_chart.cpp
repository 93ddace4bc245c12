#include "core/drawing/line_chart.hpp"

#include <fmt/format.h>

#include "core/drawing/axes.hpp"
#include "core/drawing/markup.hpp"

namespace railyard::core::drawing {
namespace {

constexpr double kWidth = 720, kLeft = 70, kRight = 120, kTop = 14, kPlot = 260, kAxis = 48,
                 kLegendRow = 20;

/// Numbers that span a factor of eight are read better in powers of two.
Axis x_axis(const Extent& numbers) {
  const Pixels pixels{kLeft, kWidth - kRight};
  return numbers.least > 0 && numbers.most >= 8 * numbers.least
             ? powers_of_two_axis(numbers, pixels)
             : linear_axis(numbers.most, pixels);
}

void draw(Markup& svg, const Line& line, const Axis& x, const Axis& y, const LineFigure& figure) {
  std::string path;
  for (const LinePoint& point : line.points)
    path += fmt::format("{}{},{}", path.empty() ? "M" : "L", svg_number(x.at(point.x)),
                        svg_number(y.at(point.y)));
  svg.open("g", {{"class", fmt::format("s{}", line.colour)}});
  svg.element("path", {{"d", path},
                       {"fill", "none"},
                       {"stroke", "currentColor"},
                       {"stroke-width", "2"},
                       {"stroke-dasharray", line.dashed ? "5 4" : "none"}});
  for (const LinePoint& point : line.points) {
    svg.open("circle",
             {{"cx", x.at(point.x)}, {"cy", y.at(point.y)}, {"r", 4.0}, {"fill", "currentColor"}});
    svg.element("title", {},
                fmt::format("{}: {} {}, {} {}", line.name, figure.x_name, reading(point.x),
                            figure.y_name, reading(point.y)));
    svg.close();
    if (!point.label.empty())
      svg.element("text",
                  {{"x", x.at(point.x) + 8}, {"y", y.at(point.y) + 4}, {"fill", "currentColor"}},
                  point.label);
  }
  svg.close();
}

}  // namespace

std::string line_chart_svg(const LineFigure& figure) {
  Extent numbers, values;
  bool is_line = false;
  for (const Line& line : figure.lines) {
    is_line = is_line || line.points.size() > 1;
    for (const LinePoint& point : line.points) {
      numbers.take(point.x);
      values.take(point.y);
    }
  }
  if (!is_line) return {};
  const double bottom = kTop + kPlot;
  const Axis x = x_axis(numbers), y = linear_axis(values.most, {bottom, kTop});
  const double height = bottom + kAxis + kLegendRow * static_cast<double>(figure.lines.size());
  Markup svg;
  svg.open("svg", {{"viewBox", fmt::format("0 0 {} {}", kWidth, height)}, {"class", "chart"}});
  draw_axes(svg, x, {figure.x_name, &reading}, y, {figure.y_name, &reading});
  for (const Line& line : figure.lines) draw(svg, line, x, y, figure);
  for (std::size_t i = 0; i < figure.lines.size(); ++i) {
    const double at = bottom + kAxis + kLegendRow * (static_cast<double>(i) + 0.5);
    svg.open("g", {{"class", fmt::format("s{}", figure.lines[i].colour)}});
    svg.element("line", {{"x1", kLeft},
                         {"y1", at},
                         {"x2", kLeft + 24},
                         {"y2", at},
                         {"stroke", "currentColor"},
                         {"stroke-width", "2"},
                         {"stroke-dasharray", figure.lines[i].dashed ? "5 4" : "none"}});
    svg.close();
    svg.element("text", {{"x", kLeft + 32}, {"y", at + 4}}, figure.lines[i].name);
  }
  return svg.close().str();
}

}  // namespace railyard::core::drawing
