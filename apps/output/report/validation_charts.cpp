#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "apps/output/picture/svg.hpp"
#include "apps/output/report/validation.hpp"

namespace railyard::apps {
namespace {

/// Decades over pixels.
struct Decades {
  double low = 0, high = 1;  ///< powers of ten
  double from = 0, to = 1;   ///< pixels

  Decades(double least, double most, double begin, double end)
      : low(std::floor(std::log10(least))),
        high(std::max(std::ceil(std::log10(most)), low + 1)),
        from(begin),
        to(end) {}

  [[nodiscard]] double at(double value) const {
    return from + (to - from) * (std::log10(value) - low) / (high - low);
  }
};

struct Range {
  double least = INFINITY, most = 0;
  void take(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
};

std::string decade_label(double power) {
  constexpr std::array<std::pair<int, std::string_view>, 3> kUnits = {
      std::pair(6, "s"), std::pair(3, "ms"), std::pair(0, "µs")};
  for (const auto& [exponent, unit] : kUnits)
    if (power >= exponent) return fmt::format("{:g} {}", std::pow(10, power - exponent), unit);
  return fmt::format("{:g} µs", std::pow(10, power));
}

void line(Markup& svg, const char* style, double x1, double y1, double x2, double y2) {
  svg.element("path", {{"class", style},
                       {"d", fmt::format("M{},{}L{},{}", svg_number(x1), svg_number(y1),
                                         svg_number(x2), svg_number(y2))}});
}

void label(Markup& svg, double x, double y, const char* anchor, const std::string& text) {
  svg.element("text", {{"class", "tick"}, {"x", x}, {"y", y}, {"text-anchor", anchor}}, text);
}

void draw_times(Markup& svg, const Decades& y, double left, double right) {
  for (double power = y.low; power <= y.high; ++power) {
    const double at = y.at(std::pow(10, power));
    line(svg, "grid", left, at, right, at);
    label(svg, left - 6, at + 4, "end", decade_label(power));
  }
}

/// Where predictions are `factor` times what was measured, inside the plot.
void draw_ratio(Markup& svg, const char* style, const Decades& x, const Decades& y, double factor) {
  const double least = std::pow(10, x.low) * std::max(1.0, 1 / factor);
  const double most = std::pow(10, x.high) * std::min(1.0, 1 / factor);
  line(svg, style, x.at(least), y.at(least * factor), x.at(most), y.at(most * factor));
}

/// A dot for every pixel that a row of the band falls on.
std::string dots(const std::vector<ValidationTable>& tables, const Decades& x, const Decades& y,
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

/// A line through a curve's points, thinned out where they are many.
template <class Value>
std::string trace(const std::vector<ValidationPoint>& points, const Decades& x, const Decades& y,
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
  Range range;
  for (const ValidationTable& table : tables) {
    for (const ValidationPoint& point : table.points()) {
      range.take(point.measured_us);
      range.take(point.predicted_us);
    }
  }
  const Decades x(range.least, range.most, kLeft, kWidth - kRight);
  const Decades y(range.least, range.most, kHeight - kBottom, kTop);
  Markup svg;
  svg.open("svg", {{"class", "chart"},
                   {"viewBox", fmt::format("0 0 {} {}", kWidth, kHeight)},
                   {"role", "img"},
                   {"aria-label", "predicted against measured time"}});
  draw_times(svg, y, kLeft, kWidth - kRight);
  for (double power = x.low; power <= x.high; ++power)
    label(svg, x.at(std::pow(10, power)), kHeight - kBottom + 18, "middle", decade_label(power));
  draw_ratio(svg, "exact", x, y, 1);
  draw_ratio(svg, "grid", x, y, 1.25);
  draw_ratio(svg, "grid", x, y, 1 / 1.25);
  const auto title = [&](const std::string& transform, const std::string& text) {
    svg.element("text", {{"class", "axis"}, {"transform", transform}, {"text-anchor", "middle"}},
                text);
  };
  title(fmt::format("translate({} {})", svg_number((kLeft + kWidth - kRight) / 2),
                    svg_number(kHeight - kBottom + 40)),
        "measured time");
  title(fmt::format("translate(16 {}) rotate(-90)", svg_number((kTop + kHeight - kBottom) / 2)),
        "predicted time");
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
  Range sizes, times;
  for (const ValidationPoint& point : curve.points) {
    sizes.take(point.bytes);
    times.take(point.measured_us);
    times.take(point.predicted_us);
  }
  const Decades x(sizes.least, sizes.most, kLeft, kWidth - kRight);
  const Decades y(times.least, times.most, kHeight - kBottom, kTop);
  Markup svg;
  svg.open("svg", {{"class", "chart"},
                   {"viewBox", fmt::format("0 0 {} {}", kWidth, kHeight)},
                   {"role", "img"},
                   {"aria-label", curve.label}});
  draw_times(svg, y, kLeft, kWidth - kRight);
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
