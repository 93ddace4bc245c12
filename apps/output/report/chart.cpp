#include "apps/output/report/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "apps/output/picture/svg.hpp"

namespace railyard::apps {
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

/// From a value to a pixel, with the values at which a line is drawn.
struct Axis {
  double low = 0, high = 1;  ///< in logarithms where `logarithmic`
  double from = 0, to = 1;   ///< pixels
  bool logarithmic = false;
  std::vector<double> ticks;

  [[nodiscard]] double at(double value) const {
    const double v = logarithmic ? std::log10(value) : value;
    return from + (to - from) * (v - low) / (high - low);
  }
};

struct Extent {
  double least = INFINITY, most = 0;
  void take(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
};

std::optional<double> predicted_of(const CurvePoint& point, ChartValue value) {
  return value == ChartValue::busbw ? point.predicted_busbw_GBps() : point.predicted_us;
}

double value_of(const CurvePoint& point, ChartValue value) {
  return value == ChartValue::busbw ? point.busbw_GBps : point.time_us;
}

/// Powers of two, so many apart that labels do not touch; a tick at each end at least.
Axis size_axis(const Extent& bytes) {
  Axis axis{0, 1, kLeft, kWidth - kRight, true, {}};
  const int first = static_cast<int>(std::floor(std::log2(bytes.least)));
  const int last = std::max(static_cast<int>(std::ceil(std::log2(bytes.most))), first + 1);
  int step = 1;
  while ((last - first) / step > 9) ++step;
  for (int power = first; power <= last; power += step)
    axis.ticks.push_back(std::ldexp(1.0, power));
  axis.low = std::log10(std::ldexp(1.0, first));
  axis.high = std::log10(std::ldexp(1.0, last));
  return axis;
}

/// From 0, in steps of 1, 2 or 5 times a power of ten.
Axis linear_axis(double most) {
  Axis axis{0, 1, kTop + kPlot, kTop, false, {}};
  if (most <= 0) most = 1;
  const double decade = std::pow(10.0, std::floor(std::log10(most / 4)));
  double step = decade;
  for (const double factor : {2.0, 5.0, 10.0}) {
    if (most / step > 5.5) step = decade * factor;
  }
  axis.high = step * std::ceil(most / step * 0.999999);
  for (int i = 0; step * i <= axis.high * 1.000001; ++i) axis.ticks.push_back(step * i);
  return axis;
}

Axis decade_axis(const Extent& extent) {
  Axis axis{std::floor(std::log10(extent.least)),
            std::ceil(std::log10(extent.most)),
            kTop + kPlot,
            kTop,
            true,
            {}};
  axis.high = std::max(axis.high, axis.low + 1);
  for (double power = axis.low; power <= axis.high; ++power)
    axis.ticks.push_back(std::pow(10.0, power));
  return axis;
}

void draw_axes(Markup& svg, const Axis& x, const Axis& y, ChartValue value) {
  for (const double tick : y.ticks) {
    const double at = y.at(tick);
    svg.element(
        "path",
        {{"class", "grid"},
         {"d", fmt::format("M{},{}H{}", svg_number(x.from), svg_number(at), svg_number(x.to))}});
    svg.element("text",
                {{"class", "tick"}, {"x", x.from - 8}, {"y", at + 4}, {"text-anchor", "end"}},
                value == ChartValue::busbw ? reading(tick) : time_reading(tick));
  }
  for (const double tick : x.ticks) {
    const double at = x.at(tick);
    svg.element("path", {{"class", "grid"},
                         {"d", fmt::format("M{},{}V{}", svg_number(at), svg_number(kTop + kPlot),
                                           svg_number(kTop + kPlot + 5))}});
    svg.element("text",
                {{"class", "tick"}, {"x", at}, {"y", kTop + kPlot + 19}, {"text-anchor", "middle"}},
                size_label(tick));
  }
  svg.element("text",
              {{"class", "axis"},
               {"x", (x.from + x.to) / 2},
               {"y", kTop + kPlot + 38},
               {"text-anchor", "middle"}},
              "message size (bytes, powers of 2)");
  svg.element(
      "text",
      {{"class", "axis"},
       {"transform", fmt::format("translate(14 {}) rotate(-90)", svg_number(kTop + kPlot / 2))},
       {"text-anchor", "middle"}},
      value == ChartValue::busbw ? "bus bandwidth (GB/s)" : "time");
  svg.newline();
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

/// The first curve before `index` that is drawn at the same places, to less than a pixel; or index.
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
  // A curve on top of another leaves gaps in which the other one is seen.
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

// Letters of 12 px that fit beside a legend's sample.
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

/// One row per curve, and one more for the prediction beside it.
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

std::string reading(double value) {
  const double size = std::fabs(value);
  if (size >= 1000) return fmt::format("{:.0f}", value);
  if (size >= 100) return svg_number(std::round(value * 10) / 10);
  if (size >= 0.1 || size == 0) return svg_number(value);
  return fmt::format("{:.3g}", value);
}

std::string time_reading(double microseconds) {
  if (microseconds >= 1e6) return reading(microseconds / 1e6) + " s";
  if (microseconds >= 1e3) return reading(microseconds / 1e3) + " ms";
  return reading(microseconds) + " µs";
}

std::string chart_svg(const CurveChart& chart, ChartValue value) {
  Extent bytes, values;
  for (const Curve& curve : chart.curves) {
    for (const CurvePoint& point : curve.points) {
      bytes.take(point.bytes);
      values.take(value_of(point, value));
      if (const auto predicted = predicted_of(point, value)) values.take(*predicted);
    }
  }
  const Axis x = size_axis(bytes);
  const Axis y = value == ChartValue::busbw ? linear_axis(values.most) : decade_axis(values);
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
