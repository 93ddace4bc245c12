#pragma once

#include <string>

#include "apps/output/report/curves.hpp"

namespace railyard::apps {

/// What a chart shows over message size.
enum class ChartValue {
  busbw,  ///< bus bandwidth in GB/s, linear from 0
  time    ///< time in microseconds, logarithmic
};

/// One chart as an SVG element: size on a log2 x axis, a line with markers per curve, predictions
/// as dashed lines with hollow markers, the legend below. Colours come from the page's CSS classes
/// s0..s7; markers differ in shape too. Points carry data-x, data-y, data-text for the page's
/// hover, and a <title> for viewers without scripts.
[[nodiscard]] std::string chart_svg(const CurveChart& chart, ChartValue value);

/// Three to five significant digits for reading: "5730", "46.8", "0.0123".
[[nodiscard]] std::string reading(double value);
/// The same of a time, in the unit that reads best: "87.1 µs", "5.73 ms".
[[nodiscard]] std::string time_reading(double microseconds);

}  // namespace railyard::apps
