#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/output/report/result_file.hpp"

namespace railyard::apps {

/// One row of a curve: a message size and its time.
struct CurvePoint {
  std::size_t file = 0, row = 0;  ///< position in the given files
  double bytes = 0;
  double time_us = 0;
  double busbw_GBps = 0;
  std::optional<double> predicted_us;  ///< bench rows with a prediction
  std::string chosen;  ///< algorithm, protocol and channels, if they differ along the curve
  std::string bound_by;

  /// Bus bandwidth of the prediction in GB/s; it is proportional to 1 / time.
  [[nodiscard]] std::optional<double> predicted_busbw_GBps() const;
};

/// Rows that differ only in message size, by size.
struct Curve {
  std::string label;  ///< the variables in which it differs from the other curves of its chart
  std::vector<CurvePoint> points;
};

/// |predicted / measured - 1| in per cent of the points with a prediction, ascending.
[[nodiscard]] std::vector<double> prediction_errors(std::span<const Curve> curves);

/// All curves of one collective that were simulated, or all that were measured.
struct CurveChart {
  std::string collective;
  bool is_live =
      false;           ///< measured by `railyard bench`, with predictions beside where it had them
  std::string common;  ///< the variables that all curves share: "512 ranks, 64 nodes, flow"
  std::vector<Curve> curves;
};

/// Sorts the collective rows of all files into charts and curves (docs/result-files.md lists the
/// columns that are variables). Algorithm, protocol and channels do not split a curve if a command
/// chose them for each message size. Rows without a collective, a size, a time and a bus bandwidth
/// are left out.
[[nodiscard]] std::vector<CurveChart> collect_curves(std::span<const ResultFile> files);

/// A curve of a chart at one size.
struct ComparedRun {
  std::size_t curve = 0;  ///< index into the chart's curves
  const CurvePoint* point = nullptr;
};

/// All curves of a chart at the largest size that they share, fastest first.
struct Comparison {
  double bytes = 0;
  std::vector<ComparedRun> runs;
};

/// Empty if the curves have no common size.
[[nodiscard]] std::optional<Comparison> compare(const CurveChart& chart);

/// A size as nccl-tests prints it: "8", "4K", "512M", "1G"; other sizes with at most two decimals.
[[nodiscard]] std::string size_label(double bytes);

/// Title of a chart: "All-reduce"; "All-reduce, live" for measured rows.
[[nodiscard]] std::string title_of(const CurveChart& chart);

}  // namespace railyard::apps
