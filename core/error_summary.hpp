#pragma once

#include <cstddef>
#include <vector>

namespace railyard::core {

/// Statistics of prediction errors e_i in per cent of the measured value: +10 means that the
/// prediction is ten per cent too high. Every table and report uses these definitions:
///
///   median, mean, p90: of the absolute errors |e_i|; an even count takes the middle two's mean,
///                      other quantiles lie between neighbours in proportion
///   bias:              mean of the signed errors e_i; above 0 where predictions are too high
///
/// Errors -10, -1, 2, 5: |e| sorted is 1, 2, 5, 10, so median 3.5, mean 4.5, p90 8.5, bias -1.
struct ErrorSummary {
  std::size_t count = 0;
  double median = 0, mean = 0, p90 = 0;
  double bias = 0;
};

/// Summary of signed errors; all zero where there are none.
[[nodiscard]] ErrorSummary summarise_errors(std::vector<double> errors);

}  // namespace railyard::core
