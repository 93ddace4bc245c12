#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "apps/output/report/validation.hpp"
#include "core/drawing/axes.hpp"
#include "core/drawing/markup.hpp"

namespace railyard::apps {

using namespace core::drawing;

namespace {

void line(Markup& svg, const char* style, double x1, double y1, double x2, double y2) {
  svg.element("path", {{"class", style},
                       {"d", fmt::format("M{},{}L{},{}", svg_number(x1), svg_number(y1),
                                         svg_number(x2), svg_number(y2))}});
}

void label(Markup& svg, double x, double y, const char* anchor, const std::string& text) {
  svg.element("text", {{"class", "tick"}, {"x", x}, {"y", y}, {"text-anchor", anchor}}, text);
}

/// A line inside the plot where predictions are `factor` times the measured values.
void draw_ratio(Markup& svg, const char* style, const Axis& x, const Axis& y, double factor) {
  const double least = std::pow(10, x.low) * std::max(1.0, 1 / factor);
  const double most = std::pow(10, x.high) * std::min(1.0, 1 / factor);
  line(svg, style, x.at(least), y.at(least * factor), x.at(most), y.at(most * factor));
}

/// A dot for each pixel with at least one row of the size band.
std::string dots(const std::vector<ValidationTable>& tables, const Axis& x, const Axis& y,
                 double least, double below) {
  std::set<std::pair<int, int>> pixels;
  for (const ValidationTable& table : tables) {
    for (const ValidationPoint& point : table.points()) {
      if (point.bytes < least || point.bytes >= below) continue;
      pixels.emplace(static_cast<int>(std::lround(x.at(point.measured_us))),
                     static_cast<int>(std::lround(y.at(point.predicted_us))));
    }
  }
  std::string path;
  for (const auto& [column, row] : pixels) path += fmt::format("M{},{}h0", column, row);
  return path;
}

/// A line through a curve's points, with fewer points if there are many.
template <class Value>
std::string trace(const std::vector<ValidationPoint>& points, const Axis& x, const Axis& y,
                  const Value& value) {
  constexpr std::size_t kMost = 48;
  const std::size_t step = points.size() / kMost + 1;
  std::string path;
  for (std::size_t i = 0; i < points.size(); i += step) {
    path += fmt::format("{}{},{}", i == 0 ? 'M' : 'L', svg_number(x.at(points[i].bytes)),
                        svg_number(y.at(value(points[i]))));
  }
  return path;
}

}  // namespace

std::string validation_scatter(const std::vector<ValidationTable>& tables) {
  constexpr double kWidth = 640, kHeight = 500, kLeft = 84, kRight = 34, kTop = 14, kBottom = 84;
  struct Band {
    double least, below;
    const char *style, *name;
  };
  constexpr double kSmall = 64.0 * 1024, kLarge = 16.0 * 1024 * 1024;
  const std::array<Band, 3> bands = {{{0, kSmall, "dots s0", "below 64 KiB"},
                                      {kSmall, kLarge, "dots s1", "64 KiB to 16 MiB"},
                                      {kLarge, INFINITY, "dots s2", "16 MiB and more"}}};
  Extent range;
  for (const ValidationTable& table : tables) {
    for (const ValidationPoint& point : table.points()) {
      range.take(point.measured_us);
      range.take(point.predicted_us);
    }
  }
  const Axis x = decade_axis(range, {kLeft, kWidth - kRight});
  const Axis y = decade_axis(range, {kHeight - kBottom, kTop});
  Markup svg;
  svg.open("svg", {{"class", "chart"},
                   {"viewBox", fmt::format("0 0 {} {}", kWidth, kHeight)},
                   {"role", "img"},
                   {"aria-label", "predicted against measured time"}});
  draw_axes(svg, x, {"measured time", &time_reading}, y, {"predicted time", &time_reading});
  draw_ratio(svg, "exact", x, y, 1);
  draw_ratio(svg, "grid", x, y, 1.25);
  draw_ratio(svg, "grid", x, y, 1 / 1.25);
  double at = kLeft;
  for (const Band& band : bands) {
    svg.element("path", {{"class", band.style}, {"d", dots(tables, x, y, band.least, band.below)}});
    svg.element("path", {{"class", band.style}, {"d", fmt::format("M{},{}h0", at, kHeight - 16)}});
    label(svg, at + 10, kHeight - 12, "start", band.name);
    at += 180;
  }
  svg.close();
  return svg.str();
}

std::string validation_curve_svg(const ValidationCurve& curve) {
  constexpr double kWidth = 320, kHeight = 180, kLeft = 56, kRight = 10, kTop = 8, kBottom = 24;
  Extent sizes, times;
  for (const ValidationPoint& point : curve.points) {
    sizes.take(point.bytes);
    times.take(point.measured_us);
    times.take(point.predicted_us);
  }
  const Axis x = decade_axis(sizes, {kLeft, kWidth - kRight});
  const Axis y = decade_axis(times, {kHeight - kBottom, kTop});
  Markup svg;
  svg.open("svg", {{"class", "chart"},
                   {"viewBox", fmt::format("0 0 {} {}", kWidth, kHeight)},
                   {"role", "img"},
                   {"aria-label", curve.label}});
  draw_levels(svg, x, y, &time_reading);
  label(svg, x.at(sizes.least), kHeight - 8, "start", size_label(sizes.least));
  if (sizes.most > sizes.least)
    label(svg, x.at(sizes.most), kHeight - 8, "end", size_label(sizes.most));
  svg.element(
      "path",
      {{"class", "line s0"},
       {"d", trace(curve.points, x, y, [](const ValidationPoint& p) { return p.measured_us; })}});
  svg.element(
      "path",
      {{"class", "line predicted s1"},
       {"d", trace(curve.points, x, y, [](const ValidationPoint& p) { return p.predicted_us; })}});
  svg.close();
  return svg.str();
}

}  // namespace railyard::apps
