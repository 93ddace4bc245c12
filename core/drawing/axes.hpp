#pragma once

#include <limits>
#include <string>
#include <vector>

#include "core/drawing/markup.hpp"

namespace railyard::core::drawing {

/// The smallest and largest value that an axis must show.
struct Extent {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  void take(double value);
};

/// The pixel coordinates of the two ends of an axis.
struct Pixels {
  double from = 0, to = 1;
};

/// Maps values to pixels; also contains the values of the ticks.
struct Axis {
  double low = 0, high = 1;  ///< values at the ends; if `logarithmic`, their decimal logarithms
  Pixels pixels;
  bool logarithmic = false;
  std::vector<double> ticks{};

  [[nodiscard]] double at(double value) const;
};

/// An axis from 0 to a tick at or above `most`. Ticks have steps of 1, 2 or 5 times a power of ten.
[[nodiscard]] Axis linear_axis(double most, Pixels pixels);
/// Logarithmic axis with at most ten ticks, at powers of two. Values must be positive.
[[nodiscard]] Axis powers_of_two_axis(const Extent& extent, Pixels pixels);
/// Logarithmic axis with ticks at powers of ten. Values must be positive.
[[nodiscard]] Axis decade_axis(const Extent& extent, Pixels pixels);

/// The name of an axis and the function that writes the labels of its ticks.
struct AxisText {
  std::string name;
  std::string (*reading)(double);
};

/// Draws a horizontal line across the chart and a label for each tick of y.
void draw_levels(Markup& svg, const Axis& x, const Axis& y, std::string (*reading)(double));
/// Draws both axes: the lines and labels of y (draw_levels), ticks and labels of x, and the names.
/// Needs 48 pixels below y.pixels.from and 50 pixels left of x.pixels.from.
void draw_axes(Markup& svg, const Axis& x, const AxisText& x_text, const Axis& y,
               const AxisText& y_text);

/// A number rounded for reading: "5730", "46.8", "0.0123".
[[nodiscard]] std::string reading(double value);
/// A time in microseconds, rounded for reading, in a suitable unit: "87.1 µs", "5.73 ms".
[[nodiscard]] std::string time_reading(double microseconds);

}  // namespace railyard::core::drawing
