#include "core/drawing/axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace railyard::core::drawing {
namespace {

constexpr int kMostGaps = 9;  // between ticks at powers of two, so that labels do not touch

void draw_name(Markup& svg, const std::string& name, const std::string& transform) {
  svg.element("text", {{"class", "axis"}, {"transform", transform}, {"text-anchor", "middle"}},
              name);
}

}  // namespace

void Extent::take(double value) {
  least = std::min(least, value);
  most = std::max(most, value);
}

double Axis::at(double value) const {
  const double v = logarithmic ? std::log10(value) : value;
  return pixels.from + (pixels.to - pixels.from) * (v - low) / (high - low);
}

Axis linear_axis(double most, Pixels pixels) {
  if (!(most > 0)) most = 1;
  const double decade = std::pow(10.0, std::floor(std::log10(most / 4)));
  double step = decade;
  for (const double factor : {2.0, 5.0, 10.0}) {
    if (most / step > 5.5) step = decade * factor;
  }
  Axis axis{.high = step * std::ceil(most / step * 0.999999), .pixels = pixels};
  for (int i = 0; step * i <= axis.high * 1.000001; ++i) axis.ticks.push_back(step * i);
  return axis;
}

Axis powers_of_two_axis(const Extent& extent, Pixels pixels) {
  const int first = static_cast<int>(std::floor(std::log2(extent.least)));
  const int last = std::max(static_cast<int>(std::ceil(std::log2(extent.most))), first + 1);
  const int step = (last - first + kMostGaps - 1) / kMostGaps;
  Axis axis{.low = std::log10(std::ldexp(1.0, first)),
            .high = std::log10(std::ldexp(1.0, last)),
            .pixels = pixels,
            .logarithmic = true};
  for (int power = first; power <= last; power += step)
    axis.ticks.push_back(std::ldexp(1.0, power));
  return axis;
}

Axis decade_axis(const Extent& extent, Pixels pixels) {
  const double first = std::floor(std::log10(extent.least));
  const double last = std::max(std::ceil(std::log10(extent.most)), first + 1);
  Axis axis{.low = first, .high = last, .pixels = pixels, .logarithmic = true};
  for (int power = static_cast<int>(first); power <= static_cast<int>(last); ++power)
    axis.ticks.push_back(std::pow(10.0, power));
  return axis;
}

void draw_levels(Markup& svg, const Axis& x, const Axis& y, std::string (*reading)(double)) {
  for (const double tick : y.ticks) {
    const double at = y.at(tick);
    svg.element("path", {{"class", "grid"},
                         {"d", fmt::format("M{},{}H{}", svg_number(x.pixels.from), svg_number(at),
                                           svg_number(x.pixels.to))}});
    svg.element(
        "text",
        {{"class", "tick"}, {"x", x.pixels.from - 8}, {"y", at + 4}, {"text-anchor", "end"}},
        reading(tick));
  }
}

void draw_axes(Markup& svg, const Axis& x, const AxisText& x_text, const Axis& y,
               const AxisText& y_text) {
  draw_levels(svg, x, y, y_text.reading);
  const double bottom = y.pixels.from;
  for (const double tick : x.ticks) {
    const double at = x.at(tick);
    svg.element("path", {{"class", "grid"},
                         {"d", fmt::format("M{},{}V{}", svg_number(at), svg_number(bottom),
                                           svg_number(bottom + 5))}});
    svg.element("text",
                {{"class", "tick"}, {"x", at}, {"y", bottom + 19}, {"text-anchor", "middle"}},
                x_text.reading(tick));
  }
  draw_name(svg, x_text.name,
            fmt::format("translate({} {})", svg_number((x.pixels.from + x.pixels.to) / 2),
                        svg_number(bottom + 38)));
  draw_name(
      svg, y_text.name,
      fmt::format("translate(14 {}) rotate(-90)", svg_number((y.pixels.from + y.pixels.to) / 2)));
  svg.newline();
}

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

}  // namespace railyard::core::drawing
