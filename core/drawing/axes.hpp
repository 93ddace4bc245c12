#pragma once

#include <limits>
#include <string>
#include <vector>

#include "core/drawing/markup.hpp"

namespace railyard::core::drawing {

/// The least and the most of the values that an axis shows.
struct Extent {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  void take(double value);
};

/// The pixels of an axis' ends.
struct Pixels {
  double from = 0, to = 1;
};

/// From a value to a pixel, with the values at which a tick is drawn.
struct Axis {
  double low = 0, high = 1;  ///< values at the ends; their decimal logarithms where `logarithmic`
  Pixels pixels;
  bool logarithmic = false;
  std::vector<double> ticks{};

  [[nodiscard]] double at(double value) const;
};

/// From 0, with ticks in steps of 1, 2 or 5 times a power of ten; ends at a tick.
[[nodiscard]] Axis linear_axis(double most, Pixels pixels);
/// Logarithmic, with at most ten ticks at powers of two. Values are positive.
[[nodiscard]] Axis powers_of_two_axis(const Extent& extent, Pixels pixels);
/// Logarithmic, with ticks at powers of ten. Values are positive.
[[nodiscard]] Axis decade_axis(const Extent& extent, Pixels pixels);

/// How the ticks of an axis are written, and what stands beside it.
struct AxisText {
  std::string name;
  std::string (*reading)(double);
};

/// A line across the chart and a label for each tick of y.
void draw_levels(Markup& svg, const Axis& x, const Axis& y, std::string (*reading)(double));
/// Both axes: levels of y, ticks and labels of x below them, and the names. Needs 48 pixels below
/// y.pixels.from and 50 left of x.pixels.from.
void draw_axes(Markup& svg, const Axis& x, const AxisText& x_text, const Axis& y,
               const AxisText& y_text);

/// Three to five significant digits for reading: "5730", "46.8", "0.0123".
[[nodiscard]] std::string reading(double value);
/// The same of a time, in the unit that reads best: "87.1 µs", "5.73 ms".
[[nodiscard]] std::string time_reading(double microseconds);

}  // namespace railyard::core::drawing
