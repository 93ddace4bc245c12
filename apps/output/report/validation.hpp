#pragma once

#include <string>
#include <vector>

#include "apps/output/report/report_data.hpp"

namespace railyard::apps {

/// A measured row and its prediction.
struct ValidationPoint {
  double bytes = 0;
  double measured_us = 0, predicted_us = 0;

  /// Error in per cent of the measured time; negative if the prediction is too fast.
  [[nodiscard]] double error() const { return (predicted_us / measured_us - 1) * 100; }
};

/// Rows of a measured table that differ only in size, by size.
struct ValidationCurve {
  std::string label;  ///< "all_reduce float32, 16 ranks"
  std::vector<ValidationPoint> points;
};

/// A measured table.
struct ValidationTable {
  std::string name, cluster;
  std::vector<ValidationCurve> curves;

  [[nodiscard]] std::vector<ValidationPoint> points() const;
};

/// The tables of a validation file in file order. Rows without a size and both times are left out.
[[nodiscard]] std::vector<ValidationTable> validation_tables(const ResultFile& file);

/// Predicted against measured time as an SVG element, both axes logarithmic. One mark per pixel
/// with rows, coloured by size (below 64 KiB, up to 16 MiB, above), with lines for exact
/// predictions and for errors of 25 %.
[[nodiscard]] std::string validation_scatter(const std::vector<ValidationTable>& tables);
/// Measured and predicted (dashed) time against size as a small SVG element, both axes logarithmic.
[[nodiscard]] std::string validation_curve_svg(const ValidationCurve& curve);

/// Scatter, errors by table, and the curves of each table; "" if no file is a validation.
[[nodiscard]] std::string validation_section(const Report& report);

}  // namespace railyard::apps
