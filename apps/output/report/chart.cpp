#include "apps/output/report/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "core/drawing/axes.hpp"
#include "core/drawing/markup.hpp"

namespace railyard::apps {

using namespace core::drawing;

namespace {

constexpr double kWidth = 640, kLeft = 62, kRight = 18, kTop = 14, kPlot = 270, kAxis = 48,
                 kLegendRow = 20;
constexpr std::size_t kColours = 8;

// Marker outlines around (0, 0), so that curves can be told apart without colour.
constexpr std::array<std::string_view, kColours> kMarkers = {
    "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z",
    "M-3.6,-3.6h7.2v7.2h-7.2z",
    "M0,-4.8L4.5,3.4H-4.5z",
    "M0,-5L5,0L0,5L-5,0z",
    "M0,4.8L4.5,-3.4H-4.5z",
    "M-4.5,-1.5h3v-3h3v3h3v3h-3v3h-3v-3h-3z",
    "M-5,-2.6H5V2.6H-5z",
    "M-2.6,-5H2.6V5H-2.6z"};

std::optional<double> predicted_of(const CurvePoint& point, ChartValue value) {
  return value == ChartValue::busbw ? point.predicted_busbw_GBps() : point.predicted_us;
}

double value_of(const CurvePoint& point, ChartValue value) {
  return value == ChartValue::busbw ? point.busbw_GBps : point.time_us;
}

void draw_axes(Markup& svg, const Axis& x, const Axis& y, ChartValue value) {
  const AxisText values = value == ChartValue::busbw ? AxisText{"bus bandwidth (GB/s)", &reading}
                                                     : AxisText{"time", &time_reading};
  draw_axes(svg, x, {"message size (bytes, powers of 2)", &size_label}, y, values);
}

std::string point_text(const CurvePoint& point, ChartValue value) {
  std::string text = value == ChartValue::busbw
                         ? reading(point.busbw_GBps) + " GB/s, " + time_reading(point.time_us)
                         : time_reading(point.time_us) + ", " + reading(point.busbw_GBps) + " GB/s";
  if (point.predicted_us) text += ", predicted " + time_reading(*point.predicted_us);
  if (!point.chosen.empty()) text += ", " + point.chosen;
  if (!point.bound_by.empty()) text += ", bound by " + point.bound_by;
  return text;
}

void draw_predictions(Markup& svg, const Curve& curve, std::size_t style, const Axis& x,
                      const Axis& y, ChartValue value) {
  std::string path;
  for (const CurvePoint& point : curve.points) {
    const auto predicted = predicted_of(point, value);
    if (!predicted) continue;
    path += fmt::format("{}{},{}", path.empty() ? 'M' : 'L', svg_number(x.at(point.bytes)),
                        svg_number(y.at(*predicted)));
  }
  if (path.empty()) return;
  svg.element("path", {{"class", "line predicted"}, {"d", path}});
  for (const CurvePoint& point : curve.points) {
    const auto predicted = predicted_of(point, value);
    if (!predicted) continue;
    svg.element("path",
                {{"class", "mark hollow"},
                 {"d", kMarkers[style]},
                 {"transform", fmt::format("translate({} {})", svg_number(x.at(point.bytes)),
                                           svg_number(y.at(*predicted)))}});
  }
}

/// The first curve before `index` that is drawn at the same places, within a pixel; otherwise
/// `index`.
std::size_t covered_by(const CurveChart& chart, std::size_t index, const Axis& x, const Axis& y,
                       ChartValue value) {
  const std::vector<CurvePoint>& own = chart.curves[index].points;
  for (std::size_t other = 0; other < index; ++other) {
    const bool coincides = std::ranges::equal(
        own, chart.curves[other].points, [&](const CurvePoint& a, const CurvePoint& b) {
          return std::fabs(x.at(a.bytes) - x.at(b.bytes)) < 1 &&
                 std::fabs(y.at(value_of(a, value)) - y.at(value_of(b, value))) < 1;
        });
    if (coincides) return other;
  }
  return index;
}

void draw_curve(Markup& svg, const CurveChart& chart, std::size_t index, const Axis& x,
                const Axis& y, ChartValue value) {
  const Curve& curve = chart.curves[index];
  const std::size_t style = index % kColours;
  svg.open("g", {{"class", fmt::format("curve s{}", style)},
                 {"data-curve", static_cast<double>(index)},
                 {"data-label", curve.label}});
  draw_predictions(svg, curve, style, x, y, value);
  std::string path;
  for (const CurvePoint& point : curve.points) {
    path += fmt::format("{}{},{}", path.empty() ? 'M' : 'L', svg_number(x.at(point.bytes)),
                        svg_number(y.at(value_of(point, value))));
  }
  // A curve that covers another is dashed, so that the other one can be seen.
  const bool is_on_top = covered_by(chart, index, x, y, value) != index;
  svg.element("path", {{"class", is_on_top ? "line on-top" : "line"}, {"d", path}});
  for (const CurvePoint& point : curve.points) {
    const std::string px = svg_number(x.at(point.bytes)),
                      py = svg_number(y.at(value_of(point, value)));
    svg.open("path", {{"class", "mark"},
                      {"d", kMarkers[style]},
                      {"transform", fmt::format("translate({} {})", px, py)},
                      {"data-x", px},
                      {"data-y", py},
                      {"data-size", size_label(point.bytes)},
                      {"data-text", point_text(point, value)}});
    svg.element(
        "title", {},
        fmt::format("{}, {}: {}", curve.label, size_label(point.bytes), point_text(point, value)));
    svg.close();
  }
  svg.close().newline();
}

bool has_predictions(const Curve& curve) {
  return std::any_of(curve.points.begin(), curve.points.end(),
                     [](const CurvePoint& p) { return p.predicted_us.has_value(); });
}

// Number of letters of 12 px next to a legend's sample.
constexpr std::size_t kLegendLetters = 84;

/// A label in lines that fit, cut at spaces.
std::vector<std::string> wrapped(const std::string& label) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < label.size();) {
    std::size_t end = std::min(at + kLegendLetters, label.size());
    if (end < label.size()) {
      const std::size_t space = label.rfind(' ', end);
      if (space != std::string::npos && space > at) end = space;
    }
    lines.push_back(label.substr(at, end - at));
    at = end + (end < label.size() && label[end] == ' ' ? 1 : 0);
  }
  return lines;
}

struct LegendRow {
  std::size_t curve = 0;
  bool predicted = false;
  std::vector<std::string> lines;
};

/// One row per curve, and one more for its prediction.
std::vector<LegendRow> legend_rows(const CurveChart& chart, const Axis& x, const Axis& y,
                                   ChartValue value) {
  std::vector<LegendRow> rows;
  for (std::size_t i = 0; i < chart.curves.size(); ++i) {
    std::string label = chart.curves[i].label;
    const std::size_t other = covered_by(chart, i, x, y, value);
    if (other != i) label += fmt::format(" (same as {})", chart.curves[other].label);
    rows.push_back({i, false, wrapped(label)});
    if (has_predictions(chart.curves[i]))
      rows.push_back({i, true, wrapped(chart.curves[i].label + ", predicted")});
  }
  return rows;
}

void draw_legend(Markup& svg, const std::vector<LegendRow>& rows, double top) {
  double y = top;
  for (const LegendRow& row : rows) {
    const std::size_t style = row.curve % kColours;
    svg.open("g", {{"class", fmt::format("key s{}", style)},
                   {"data-curve", static_cast<double>(row.curve)}});
    svg.element("path", {{"class", row.predicted ? "line predicted" : "line"},
                         {"d", fmt::format("M{},{}h28", svg_number(kLeft), svg_number(y - 4))}});
    svg.element("path", {{"class", row.predicted ? "mark hollow" : "mark"},
                         {"d", kMarkers[style]},
                         {"transform", fmt::format("translate({} {})", svg_number(kLeft + 14),
                                                   svg_number(y - 4))}});
    for (const std::string& line : row.lines) {
      svg.element("text", {{"x", kLeft + 36}, {"y", y}}, line);
      y += kLegendRow;
    }
    svg.close().newline();
  }
}

}  // namespace

std::string chart_svg(const CurveChart& chart, ChartValue value) {
  Extent bytes, values;
  for (const Curve& curve : chart.curves) {
    for (const CurvePoint& point : curve.points) {
      bytes.take(point.bytes);
      values.take(value_of(point, value));
      if (const auto predicted = predicted_of(point, value)) values.take(*predicted);
    }
  }
  const Axis x = powers_of_two_axis(bytes, {kLeft, kWidth - kRight});
  const Pixels height_pixels{kTop + kPlot, kTop};
  const Axis y = value == ChartValue::busbw ? linear_axis(values.most, height_pixels)
                                            : decade_axis(values, height_pixels);
  const double legend_top = kTop + kPlot + kAxis + 16;
  const std::vector<LegendRow> rows = legend_rows(chart, x, y, value);
  std::size_t lines = 0;
  for (const LegendRow& row : rows) lines += row.lines.size();
  const double height = legend_top + kLegendRow * static_cast<double>(lines) - 6;

  Markup svg;
  const std::string what = value == ChartValue::busbw ? "bus bandwidth" : "time";
  svg.open("svg",
           {{"class", "chart"},
            {"viewBox", fmt::format("0 0 {} {}", svg_number(kWidth), svg_number(height))},
            {"role", "img"},
            {"aria-label", fmt::format("{}: {} against message size", title_of(chart), what)}});
  svg.newline();
  draw_axes(svg, x, y, value);
  for (std::size_t i = 0; i < chart.curves.size(); ++i) draw_curve(svg, chart, i, x, y, value);
  draw_legend(svg, rows, legend_top);
  svg.close().newline();
  return svg.str();
}

}  // namespace railyard::apps
