#pragma once

#include <string>

#include "apps/output/report/curves.hpp"

namespace railyard::apps {

/// The quantity that a chart shows over message size.
enum class ChartValue {
  busbw,  ///< bus bandwidth in GB/s, linear from 0
  time    ///< time in microseconds, logarithmic
};

/// One chart as an SVG element: size on a log2 x axis, a line with markers per curve, predictions
/// as dashed lines with hollow markers, the legend below. Colours come from the page's CSS classes
/// s0..s7; markers differ in shape too. Points carry data-x, data-y, data-text for the page's
/// hover, and a <title> for viewers without scripts.
[[nodiscard]] std::string chart_svg(const CurveChart& chart, ChartValue value);

}  // namespace railyard::apps
