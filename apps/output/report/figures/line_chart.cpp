#include "apps/output/report/figures/line_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "apps/output/picture/svg.hpp"
#include "apps/output/report/chart.hpp"

namespace railyard::apps {
namespace {

constexpr double kWidth = 720, kLeft = 70, kRight = 120, kTop = 14, kPlot = 260, kAxis = 44,
                 kLegendRow = 20;

/// From a value to a pixel.
struct Scale {
  double low = 0, high = 1, from = 0, to = 1;
  bool logarithmic = false;
  std::vector<double> ticks{};

  [[nodiscard]] double at(double value) const {
    const double v = logarithmic ? std::log2(value) : value;
    return from + (to - from) * (v - low) / (high - low);
  }
};

/// Ticks in steps of 1, 2 or 5 times a power of ten, from 0.
std::vector<double> even_ticks(double most) {
  const double decade = std::pow(10.0, std::floor(std::log10(most / 4)));
  double step = decade;
  for (const double times : {2.0, 5.0, 10.0})
    if (most / step > 6) step = times * decade;
  std::vector<double> ticks;
  for (int i = 0; i * step <= most * 1.0001; ++i) ticks.push_back(i * step);
  return ticks;
}

Scale linear(double most, double from, double to) {
  if (!(most > 0)) most = 1;
  Scale scale{.high = most * 1.05, .from = from, .to = to};
  scale.ticks = even_ticks(most);
  return scale;
}

Scale x_scale(double least, double most) {
  if (!(least > 0) || most < 8 * least) return linear(most, kLeft, kWidth - kRight);
  Scale scale{.low = std::log2(least),
              .high = std::log2(most),
              .from = kLeft,
              .to = kWidth - kRight,
              .logarithmic = true};
  const int first = static_cast<int>(std::ceil(scale.low - 1e-9));
  const int last = static_cast<int>(std::floor(scale.high + 1e-9));
  const int step = std::max(1, (last - first) / 8);
  for (int power = first; power <= last; power += step)
    scale.ticks.push_back(std::ldexp(1.0, power));
  return scale;
}

void axes(Markup& svg, const Scale& x, const Scale& y, const LineFigure& figure) {
  const auto line = [&](double x1, double y1, double x2, double y2, const char* opacity) {
    svg.element("line", {{"x1", x1},
                         {"y1", y1},
                         {"x2", x2},
                         {"y2", y2},
                         {"stroke", "currentColor"},
                         {"stroke-opacity", opacity}});
  };
  for (const double tick : y.ticks) {
    line(kLeft, y.at(tick), kWidth - kRight, y.at(tick), tick > 0 ? "0.12" : "0.4");
    svg.element("text", {{"x", kLeft - 6}, {"y", y.at(tick) + 4}, {"text-anchor", "end"}},
                reading(tick));
  }
  for (const double tick : x.ticks)
    svg.element("text", {{"x", x.at(tick)}, {"y", y.from + 18}, {"text-anchor", "middle"}},
                reading(tick));
  svg.element("text",
              {{"x", (kLeft + kWidth - kRight) / 2}, {"y", y.from + 36}, {"text-anchor", "middle"}},
              figure.x_name);
  svg.element("text", {{"x", kLeft}, {"y", kTop - 2}}, figure.y_name);
}

void draw(Markup& svg, const Line& line, const Scale& x, const Scale& y, const LineFigure& figure) {
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
  double least = std::numeric_limits<double>::infinity(), most = 0, highest = 0;
  bool is_line = false;
  for (const Line& line : figure.lines) {
    is_line = is_line || line.points.size() > 1;
    for (const LinePoint& point : line.points) {
      least = std::min(least, point.x);
      most = std::max(most, point.x);
      highest = std::max(highest, point.y);
    }
  }
  if (!is_line) return {};
  const double bottom = kTop + kPlot;
  const Scale x = x_scale(least, most), y = linear(highest, bottom, kTop);
  const double height = bottom + kAxis + kLegendRow * static_cast<double>(figure.lines.size());
  Markup svg;
  svg.open("svg", {{"viewBox", fmt::format("0 0 {} {}", kWidth, height)}, {"class", "chart"}});
  axes(svg, x, y, figure);
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

}  // namespace railyard::apps
